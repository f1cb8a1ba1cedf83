import Curation
import Hummingbird
import Intake
import Logging
import Storage

/// Every route there is. Each area has a function of its own here; pages for people who have signed in stand in one group.
/// Methods that a path does not have are refused by ``Hummingbird/Router/refuseOtherMethods()``, which comes after it.
func buildRouter(
  services: WebServices, configuration: WebConfiguration, pages: PageRenderer, limiter: Limiter, apps: AppDirectory,
  observation: ObservationMiddleware
) -> Router<WebContext> {
  let router = Router(context: WebContext.self, options: [.autoGenerateHeadEndpoints])
  router.add(middleware: observation)
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: ReaderMiddleware())
  router.add(middleware: ErrorMiddleware(pages: pages))
  router.add(middleware: MethodMiddleware())
  router.add(middleware: HostMiddleware())
  router.add(middleware: PublicFilesMiddleware(folder: configuration.publicFolder))
  router.add(middleware: SameOriginMiddleware())

  let networkLimit = NetworkLimitMiddleware(limiter: limiter, trustsProxy: configuration.trustsProxy)
  let guards = APIGuards(
    network: networkLimit, key: APIKeyMiddleware(directory: apps), app: AppLimitMiddleware(limiter: limiter))
  statusRoutes(router, services)
  metricsRoutes(router, services: services, configuration: configuration)
  documentationRoutes(router, configuration, pages)
  publicationRoutes(router, services, guards: configuration.publicationsNeedKey ? guards : nil)
  apiRoutes(router, services, configuration, limiter: limiter, guards: guards)

  let cookies = SignInCookies(isSecure: configuration.isSecure)
  let census = Census { [queue = services.queue] in try await queue.census(at: $0) }
  let session = SessionMiddleware(
    moderators: services.moderators, census: census, cookies: cookies, policy: configuration.secondFactor)
  let signedIn = { (path: RouterPath) in
    router.group(path)
      .add(middleware: session)
      // Once more, where it is known who reads the page.
      .add(middleware: ErrorMiddleware(pages: pages))
      .add(middleware: FormMiddleware(needsToken: true))
  }
  let moderation = signedIn("moderation")
  signInRoutes(router, services, pages, cookies: cookies, networkLimit: networkLimit, signOut: signedIn("sign-out"))
  accountRoutes(moderation, services, configuration, pages, cookies: cookies)
  auditRoutes(moderation, services, pages)
  queueRoutes(moderation, services, census, pages)
  publicationPageRoutes(moderation, services, pages)
  besideRoutes(moderation, services, pages)
  publicRoutes(router, services, configuration, pages, networkLimit: networkLimit)
  appPageRoutes(moderation, services, pages)
  router.get("/") { _, _ in Response.redirect(to: ReturnAddress.home, type: .normal) }
  return router
}

private func statusRoutes(_ router: Router<WebContext>, _ services: WebServices) {
  let health = HealthController(health: services.health, intake: services.intake, readiness: services.readiness)
  router.get("healthz", use: health.alive)
  router.get("readyz", use: health.ready)
}

/// What stands before everything that apps need a key for.
private struct APIGuards {
  let network: NetworkLimitMiddleware
  let key: APIKeyMiddleware
  let app: AppLimitMiddleware

  /// Under /v1, for keys with a scope.
  func group(_ router: Router<WebContext>, _ scope: AppScopes) -> RouterGroup<WebContext> {
    router.group("v1").add(middleware: network).add(middleware: key).add(middleware: app)
      .add(middleware: ScopeMiddleware(scope: scope))
  }
}

private func documentationRoutes(
  _ router: Router<WebContext>, _ configuration: WebConfiguration, _ pages: PageRenderer
) {
  let documentation = DocumentationController(
    description: APIDescription(publicationsNeedKey: configuration.publicationsNeedKey), pages: pages)
  router.group("openapi.json").add(middleware: AcceptMiddleware()).get(use: documentation.openAPI)
  router.get("docs", use: documentation.docs)
  router.get("problems", use: documentation.problems)
  router.get("problems/:kind", use: documentation.problem)
}

/// - Parameter guards: nil where everybody may have what is published.
private func publicationRoutes(_ router: Router<WebContext>, _ services: WebServices, guards: APIGuards?) {
  let openFiles = OpenFiles()
  let newest = NewestManifest(folder: services.publications, files: openFiles)
  let publications = PublicationsController(
    folder: services.publications, files: FileAnswer(files: openFiles), newest: newest)
  let summary = SummaryController(newest: newest, next: services.nextPublication)
  let files = guards?.group(router, .fetch).add(middleware: PrivateMiddleware()) ?? router.group("v1")
  for folder in ["roots", "manifests", "packs", "deltas", "formats"] {
    files.get("\(folder)/:file", use: publications.files(in: folder))
  }
  files.add(middleware: AcceptMiddleware())
    .get("manifest", use: publications.manifest)
    .get("manifest.json", use: publications.manifest)
    .get("summary", use: summary.summary)
    .get("root.json", use: publications.newestRoot)
}

private func apiRoutes(
  _ router: Router<WebContext>, _ services: WebServices, _ configuration: WebConfiguration, limiter: Limiter,
  guards: APIGuards
) {
  let bodies = BodyReader(budget: BodyBudget(limit: configuration.limits.bodyBytes))
  let reports = ReportsController(
    intake: services.intake, limiter: limiter, bodies: bodies, networkPseudonym: services.pseudonymizer.network(of:))
  let identifications = IdentificationsController(intake: services.identifications, limiter: limiter, bodies: bodies)
  let numbers = NumbersController(explanations: services.explanations, lookups: services.lookups)
  guards.group(router, .report).add(middleware: AcceptMiddleware())
    // Most of these are answered before they come here: see ReportShortcut.
    .post("reports", use: reports.create)
    .delete("reports/:report_id", use: reports.withdraw)
  guards.group(router, .identify).add(middleware: AcceptMiddleware())
    .post("identifications", use: identifications.create)
  guards.group(router, .lookup).add(middleware: AcceptMiddleware())
    .get("numbers/:number", use: numbers.explain)
    .get("numbers/by-hash/:prefix", use: numbers.byHash)
}

private func signInRoutes(
  _ router: Router<WebContext>, _ services: WebServices, _ pages: PageRenderer, cookies: SignInCookies,
  networkLimit: NetworkLimitMiddleware, signOut: RouterGroup<WebContext>
) {
  let signIn = SignInPages(
    moderators: services.moderators, desk: services.people.desk, pages: pages, cookies: cookies,
    network: services.pseudonymizer.network(of:))
  router.get("sign-in", use: signIn.form)
  router.get("sign-in/code", use: signIn.codeForm)
  router.group("sign-in")
    .add(middleware: networkLimit)
    .add(middleware: FormMiddleware(needsToken: false))
    .post(use: signIn.signIn)
    .post("code", use: signIn.signInByCode)
  signOut.post(use: signIn.signOut)
}

private func accountRoutes(
  _ moderation: RouterGroup<WebContext>, _ services: WebServices, _ configuration: WebConfiguration,
  _ pages: PageRenderer, cookies: SignInCookies
) {
  let account = AccountPages(
    services: services.people, pages: pages, cookies: cookies, policy: configuration.secondFactor)
  let second = SecondFactorPages(account: account)
  moderation.group("account")
    .get(use: account.account)
    .post("password", use: account.setPassword)
    .post("language", use: account.setLanguage)
    .post("sessions", use: account.endSessions)
    .get("second-factor", use: second.form)
    .post("second-factor", use: second.setUp)
    .post("second-factor/codes", use: second.renewCodes)
    .post("second-factor/remove", use: second.remove)
  let accounts = AccountsPages(
    services: services.people, moderators: services.moderators, pages: pages, isSecure: configuration.isSecure)
  moderation.group("accounts")
    .add(middleware: RequireRole(.administrator))
    .get(use: accounts.list)
    .post(use: accounts.add)
    .get(":account", use: accounts.one)
    .post(":account", use: accounts.change)
}

private func auditRoutes(_ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer) {
  let audit = AuditPages(trail: services.people.trail, bulks: services.bulks, pages: pages)
  moderation.group("audit")
    .add(middleware: RequireRole(.moderator))
    .get(use: audit.list)
    .get("export.csv", use: audit.export)
}

private func queueRoutes(
  _ moderation: RouterGroup<WebContext>, _ services: WebServices, _ census: Census, _ pages: PageRenderer
) {
  let newest = NewestManifest(folder: services.publications, files: OpenFiles())
  let queue = QueuePages(queue: services.queue, census: census, pages: pages)
  let cases = CasePages(
    cases: services.cases, queue: services.queue, census: census, rulings: services.rulings,
    packs: PackPlaces(folder: services.publications, newest: newest), pages: pages)
  let rulings = RulingPages(
    cases: cases, queuePages: queue, rulings: services.rulings, queue: services.queue, census: census)
  let bulks = BulkPages(bulks: services.bulks, queue: services.queue, census: census, pages: pages)
  moderation
    // What it was called before there was a queue.
    .get("watched") { _, _ in Response.redirect(to: QueuePages.path, type: .permanent) }
    .get("queue", use: queue.list)
    .post("queue/next", use: queue.next)
    .get("queue/left", use: queue.left)
    .post("queue/ping", use: queue.ping)
    .post("queue/release", use: queue.release)
    .get("numbers/:number", use: cases.show)
    .post("numbers/:number/notes", use: cases.note)
    .post("numbers/:number/ruling", use: rulings.rule)
    .post("numbers/:number/undo", use: rulings.undo)
  moderation.group("numbers/:number/take-over")
    .add(middleware: RequireRole(.administrator))
    .post(use: cases.takeOver)
  moderation.group("bulk")
    .add(middleware: RequireRole(.moderator))
    .post(use: bulks.confirm)
    .post("preview", use: bulks.preview)
    .get(":id", use: bulks.show)
    .post(":id/finish", use: bulks.finish)
    .post(":id/undo", use: bulks.undo)
}

private func publicationPageRoutes(
  _ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer
) {
  let (beside, store) = (services.beside, services.publicationStore)
  let publications = PublicationPages(store: store, desk: beside.desk, diff: beside.diff, pages: pages)
  let orders = PublicationOrderPages(desk: beside.desk)
  let nights = NightPages(diff: beside.diff, nights: beside.nights, pages: pages)
  let recipes = RecipePages(recipes: beside.recipes, pages: pages)
  moderation
    .get("publications", use: publications.list)
    .get("publications/:serial/changes", use: nights.changes)
    .get("recipes", use: recipes.show)
  moderation.group()
    .add(middleware: RequireRole(.administrator))
    .post("publications", use: orders.order)
}

private func besideRoutes(_ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer) {
  let beside = services.beside
  let home = HomePages(
    figures: beside.figures, appeals: beside.appeals, publications: services.publicationStore,
    next: services.nextPublication, pages: pages)
  let search = SearchPages(search: beside.search, pages: pages)
  moderation
    .get(use: home.home)
    .get("search", use: search.search)

  let appeals = AppealPages(
    appeals: beside.appeals, search: beside.search, explanations: services.explanations, pages: pages)
  let reporters = ReporterPages(reporters: beside.reporters, pages: pages)
  let ranges = RangePages(ranges: beside.ranges, pages: pages)
  let protected = ProtectedPages(protection: beside.protection, pages: pages)
  let thresholds = ThresholdPages(
    store: beside.thresholds, previews: beside.previews, countries: CountryChoices(catalogue: pages.catalogue),
    pages: pages)
  let health = HealthPages(
    health: services.health, intake: services.intake, folder: services.publications,
    publications: services.publicationStore, pages: pages)
  moderation.group()
    .add(middleware: RequireRole(.moderator))
    .get("appeals", use: appeals.list)
    .get("appeals/:number", use: appeals.one)
    .post("appeals/:number", use: appeals.answer)
    .get("reporters", use: reporters.list)
    .get("ranges", use: ranges.list)
    .get("ranges/:first/:digits", use: ranges.one)
    .post("ranges/:first/:digits", use: ranges.decide)
    .get("protected", use: protected.list)
    .get("thresholds", use: thresholds.list)
    .get("health", use: health.show)
  moderation.group()
    .add(middleware: RequireRole(.administrator))
    .post("protected", use: protected.add)
    .post("protected/remove", use: protected.remove)
    .get("thresholds/edit", use: thresholds.edit)
    .get("thresholds/preview", use: thresholds.result)
    .post("thresholds/preview", use: thresholds.preview)
    .post("thresholds/again", use: thresholds.again)
    .post("thresholds/save", use: thresholds.save)
    .post("thresholds/discard", use: thresholds.discard)
}

private func publicRoutes(
  _ router: Router<WebContext>, _ services: WebServices, _ configuration: WebConfiguration, _ pages: PageRenderer,
  networkLimit: NetworkLimitMiddleware
) {
  let appeals = PublicAppealPages(
    appeals: services.beside.appeals,
    stamps: AppealStamps(
      key: services.beside.stampKey, difficulty: configuration.appealDifficulty, delay: configuration.appealDelay),
    limits: AppealGuard(limits: configuration.limits, clock: services.clock),
    countries: CountryChoices(catalogue: pages.catalogue),
    origin: { [hashes = services.pseudonymizer] in
      FilingOrigin(network: hashes.network(of: $0), area: hashes.area(of: $0))
    }, pages: pages)
  router.group("appeal")
    .add(middleware: networkLimit)
    .add(middleware: FormMiddleware(needsToken: false))
    .get(use: appeals.form)
    .post(use: appeals.file)
    .get("find", use: appeals.find)
    .get(":ticket", use: appeals.status)
  guard configuration.publicNumbers != .off else { return }
  let numbers = PublicNumberPages(
    explanations: services.explanations, pages: pages, visibility: configuration.publicNumbers)
  router.group("number")
    .add(middleware: networkLimit)
    .get(":number", use: numbers.number)
}

private func metricsRoutes(_ router: Router<WebContext>, services: WebServices, configuration: WebConfiguration) {
  let metrics = MetricsController(
    metrics: services.metrics,
    access: MetricsAccess(token: configuration.metricsToken, trustsProxy: configuration.trustsProxy))
  router.get("metrics", use: metrics.read)
}

private func appPageRoutes(_ moderation: RouterGroup<WebContext>, _ services: WebServices, _ pages: PageRenderer) {
  let apps = AppPages(apps: services.apps, pages: pages)
  moderation.group("apps").add(middleware: RequireRole(.administrator))
    .get(use: apps.list)
    .post(use: apps.create)
    .post("rotate", use: apps.rotate)
    .get("keys/:key", use: apps.key)
    .post("keys/:key/scopes", use: apps.change)
    .post("keys/:key/revoke", use: apps.revoke)
    .post("keys/:key/withdraw", use: apps.withdraw)
}
