import Hummingbird
import Intake
import Logging
import Mustache

/// Every route there is.
func buildRouter(
  services: WebServices, configuration: WebConfiguration, templates: MustacheLibrary, limiter: Limiter,
  apps: AppDirectory
) -> Router<WebContext> {
  let pages = PageRenderer(templates: templates)
  let router = Router(context: WebContext.self, options: [.autoGenerateHeadEndpoints])
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: ErrorMiddleware(pages: pages))
  router.add(middleware: PublicFilesMiddleware(folder: configuration.publicFolder))
  router.add(middleware: SameOriginMiddleware())

  let networkLimit = NetworkLimitMiddleware(limiter: limiter, trustsProxy: configuration.trustsProxy)
  let bodies = BodyReader(budget: BodyBudget(limit: configuration.limits.bodyBytes))
  let reports = ReportsController(
    intake: services.intake, limiter: limiter, bodies: bodies, networkPseudonym: services.pseudonymizer.network(of:))
  let identifications = IdentificationsController(
    intake: services.identifications, limiter: limiter, bodies: bodies)
  let files = OpenFiles()
  let publications = PublicationsController(folder: services.publications, files: FileAnswer(files: files))
  let summary = SummaryController(
    newest: NewestManifest(folder: services.publications, files: files), next: services.nextPublication)
  let health = HealthController(
    health: services.health, intake: services.intake, readiness: services.readiness)
  let signIn = SignInPages(
    moderators: services.moderators, pages: pages, isSecure: configuration.isSecure)
  let publicationPages = PublicationPages(store: services.publicationStore, pages: pages)
  let numbers = NumbersController(explanations: services.explanations, lookups: services.lookups)
  let moderation = ModerationPages(
    numbers: services.numbers, explanations: services.explanations, rulings: services.rulings, pages: pages)

  router.get("healthz", use: health.alive)
  router.get("readyz", use: health.ready)

  router.get("v1/manifest", use: publications.manifest)
  router.get("v1/manifest.json", use: publications.manifest)
  router.get("v1/summary", use: summary.summary)
  router.get("v1/root.json", use: publications.newestRoot)
  for folder in ["roots", "manifests", "packs", "deltas", "formats"] {
    router.get("v1/\(folder)/:file", use: publications.files(in: folder))
  }

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

  router.get("sign-in", use: signIn.form)
  router.group("sign-in")
    .add(middleware: networkLimit)
    .post(use: signIn.signIn)
  router.post("sign-out", use: signIn.signOut)

  router.get("/") { _, _ in Response.redirect(to: "/moderation", type: .normal) }
  router.group("moderation")
    .add(middleware: SessionMiddleware(moderators: services.moderators))
    .get(use: moderation.watched)
    .get("numbers/:number", use: moderation.number)
    .get("publications", use: publicationPages.list)
  router.refuseOtherMethods()
  return router
}
