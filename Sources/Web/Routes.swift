import Hummingbird
import Intake
import Logging

/// Every route there is. Each area has a function of its own here; pages for people who have signed in stand in one group.
func buildRouter(
  services: WebServices, configuration: WebConfiguration, pages: PageRenderer, limiter: Limiter, apps: AppDirectory
) -> Router<WebContext> {
  let router = Router(context: WebContext.self, options: [.autoGenerateHeadEndpoints])
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: ReaderMiddleware())
  router.add(middleware: ErrorMiddleware(pages: pages))
  router.add(middleware: PublicFilesMiddleware(folder: configuration.publicFolder))
  router.add(middleware: SameOriginMiddleware())

  let networkLimit = NetworkLimitMiddleware(limiter: limiter, trustsProxy: configuration.trustsProxy)
  statusRoutes(router, services)
  publicationRoutes(router, services)
  apiRoutes(router, services, configuration, limiter: limiter, apps: apps, networkLimit: networkLimit)

  let cookie = SessionCookie(isSecure: configuration.isSecure)
  let session = SessionMiddleware(
    moderators: services.moderators, waiting: WaitingCount(read: services.waiting), cookie: cookie)
  let signedIn = { (path: RouterPath) in
    router.group(path)
      .add(middleware: session)
      // Once more, where it is known who reads the page.
      .add(middleware: ErrorMiddleware(pages: pages))
      .add(middleware: FormMiddleware(needsToken: true))
  }
  let moderation = signedIn("moderation")
  signInRoutes(router, services, pages, cookie: cookie, networkLimit: networkLimit, signOut: signedIn("sign-out"))
  numberRoutes(moderation, services, pages)
  publicationPageRoutes(moderation, services, pages)
  router.get("/") { _, _ in Response.redirect(to: ReturnAddress.home, type: .normal) }
  router.refuseOtherMethods()
  return router
}

private func statusRoutes(_ router: Router<WebContext>, _ services: WebServices) {
  let health = HealthController(health: services.health, intake: services.intake, readiness: services.readiness)
  router.get("healthz", use: health.alive)
  router.get("readyz", use: health.ready)
}

private func publicationRoutes(_ router: Router<WebContext>, _ services: WebServices) {
  let files = OpenFiles()
  let publications = PublicationsController(folder: services.publications, files: FileAnswer(files: files))
  let summary = SummaryController(
    newest: NewestManifest(folder: services.publications, files: files), next: services.nextPublication)
  router.get("v1/manifest", use: publications.manifest)
  router.get("v1/manifest.json", use: publications.manifest)
  router.get("v1/summary", use: summary.summary)
  router.get("v1/root.json", use: publications.newestRoot)
  for folder in ["roots", "manifests", "packs", "deltas", "formats"] {
    router.get("v1/\(folder)/:file", use: publications.files(in: folder))
  }
}

private func apiRoutes(
  _ router: Router<WebContext>, _ services: WebServices, _ configuration: WebConfiguration, limiter: Limiter,
  apps: AppDirectory, networkLimit: NetworkLimitMiddleware
) {
  let bodies = BodyReader(budget: BodyBudget(limit: configuration.limits.bodyBytes))
  let reports = ReportsController(
    intake: services.intake, limiter: limiter, bodies: bodies, networkPseudonym: services.pseudonymizer.network(of:))
  let identifications = IdentificationsController(intake: services.identifications, limiter: limiter, bodies: bodies)
  let numbers = NumbersController(explanations: services.explanations, lookups: services.lookups)
  router.group("v1")
    .add(middleware: networkLimit)
    .add(middleware: APIKeyMiddleware(directory: apps))
    .add(middleware: AppLimitMiddleware(limiter: limiter))
    // Most of these are answered before they come here: see ReportShortcut.
    .post("reports", use: reports.create)
    .delete("reports/:report_id", use: reports.withdraw)
    .post("identifications", use: identifications.create)
    .get("numbers/:number", use: numbers.explain)
    .get("numbers/by-hash/:prefix", use: numbers.byHash)
}

private func signInRoutes(
  _ router: Router<WebContext>, _ services: WebServices, _ pages: PageRenderer, cookie: SessionCookie,
  networkLimit: NetworkLimitMiddleware, signOut: RouterGroup<WebContext>
) {
  let signIn = SignInPages(moderators: services.moderators, pages: pages, cookie: cookie)
  router.get("sign-in", use: signIn.form)
  router.group("sign-in")
    .add(middleware: networkLimit)
    .add(middleware: FormMiddleware(needsToken: false))
    .post(use: signIn.signIn)
  signOut.post(use: signIn.signOut)
}

private func numberRoutes(_ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer) {
  let numbers = ModerationPages(
    numbers: services.numbers, explanations: services.explanations, rulings: services.rulings, pages: pages)
  moderation
    .get(use: numbers.watched)
    .get("numbers/:number", use: numbers.number)
}

private func publicationPageRoutes(
  _ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer
) {
  let publications = PublicationPages(store: services.publicationStore, pages: pages)
  moderation.get("publications", use: publications.list)
}
