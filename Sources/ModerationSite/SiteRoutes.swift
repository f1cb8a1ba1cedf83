// SPDX-License-Identifier: Apache-2.0

import Accounts
import Intake
import Curation
package import HTTPServer
package import Hummingbird
import Moderation
import Publishing
import Storage

/// Routes of all pages. Pages that need a session are in one group.
package struct SiteRoutes {
  let services: SiteServices
  let configuration: SiteConfiguration
  let access: AccessConfiguration
  let pages: PageRenderer
  private let description: OpenAPIDocument
  let clock: LimitClock
  private let queueCounts: QueueCountCache
  private let knownSessions = KnownSessions()
  private let turns = AccountTurns<Int32>(most: 2, mostWaiting: 50)
  /// One for all pages: it keeps what it has read.
  let newest: NewestManifest
  private let failures: FailureLog
  /// Keeps what the identity provider says about itself.
  let signOn: SignOnService?

  var stores: Stores { services.stores }
  private var answers: AppealAnswer {
    AppealAnswer(appeals: services.moderation.appeals, cases: stores.cases, queueCounts: queueCounts)
  }
  private var session: SessionMiddleware {
    SessionMiddleware(
      sessions: stores.sessions, queueCounts: queueCounts, cookies: cookies, policy: configuration.secondFactor,
      known: knownSessions, turns: turns)
  }
  var cookies: SignInCookies {
    SignInCookies(isSecure: access.isSecure, sessionLifetime: services.accounts.sessions.sessionLifetime)
  }

  package init(
    services: SiteServices, configuration: SiteConfiguration, access: AccessConfiguration, pages: PageRenderer,
    description: OpenAPIDocument, clock: LimitClock, failures: FailureLog
  ) {
    self.failures = failures
    self.services = services
    self.configuration = configuration
    self.access = access
    self.description = description
    self.clock = clock
    var pages = pages
    pages.host = configuration.host
    self.pages = pages
    newest = NewestManifest(folder: services.folder, files: OpenFiles())
    signOn = configuration.signOn.map { SignOnService($0, signIn: services.accounts.signIn) }
    queueCounts = QueueCountCache { [queue = services.stores.queue] in try await queue.queueCounts(at: $0) }
  }

  /// A page that does not exist keeps the navigation of an account that is signed in.
  package func problemPage(
    _ problem: Problem, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    var context = context
    // This page also answers paths outside `DeadlineRoutes`.
    if problem.status == Problem.notFound.status, context.moderator == nil {
      let entered = try? await withDeadline { [session, context] in try await session.entered(request, context) }
      context = (entered ?? nil) ?? context
    }
    return try pages.page(
      "problem", problem.record(pages.texts(context)), context, status: .init(code: problem.status))
  }

  /// - Parameter networkLimit: checks the rate limit of the network before a form is read.
  package func add(to allRoutes: Router<ServerRequestContext>, networkLimit: NetworkLimitMiddleware) {
    // A page whose database does not answer is a 503 within 5 seconds.
    let deadline = DatabaseDeadline { [stores] in try await stores.health.check() }
    let router = DeadlineRoutes(allRoutes, deadline: deadline)
    let session = session
    let signedIn = { (path: RouterPath) in
      router.group(path)
        .add(middleware: session)
        // Added again inside the session, so that error pages have the account's navigation and language.
        .add(middleware: ErrorMiddleware(page: problemPage, failures: failures))
        .add(middleware: FormMiddleware(needsToken: true))
    }
    let moderation = signedIn("moderation")
    documentationRoutes(router)
    signInRoutes(router, networkLimit: networkLimit, signOut: signedIn("sign-out"))
    accountRoutes(moderation)
    auditRoutes(moderation)
    queueRoutes(moderation)
    teamRoutes(moderation)
    publicationRoutes(moderation)
    numberRoutes(moderation)
    settingRoutes(moderation)
    publicRoutes(router, networkLimit: networkLimit)
    appRoutes(moderation)
    let start = StartPage(
      hasNumbers: configuration.publicNumbers != .off, hasLists: access.interfaces.contains(.lists), cookies: cookies,
      pages: pages)
    router.get("/", use: start.show)
  }

  private func documentationRoutes(_ router: DeadlineRoutes) {
    let documentation = DocumentationPages(document: description.record, pages: pages)
    router.get("docs", use: documentation.docs)
    router.get("problems", use: documentation.problems)
    router.get("problems/:kind", use: documentation.problem)
  }

  private func auditRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let audit = AuditPages(auditLog: stores.auditLog, bulks: stores.bulks, pages: pages)
    moderation.group("audit")
      .add(middleware: RequireRole(.moderator))
      .get(use: audit.list)
      .get("export.csv", use: audit.export)
  }

  var history: NumberPublicationPages {
    NumberPublicationPages(
      cases: stores.cases, newest: newest, histories: PackHistories(folder: services.folder),
      interfaces: access.interfaces, pages: pages)
  }

  private func queueRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let queue = QueuePages(
      queue: stores.queue, claims: services.moderation.claims, filters: services.moderation.filters,
      queueCounts: queueCounts, pages: pages)
    let cases = CasePages(
      cases: stores.cases, claims: services.moderation.claims, assignments: stores.assignments,
      templates: stores.templates, queueCounts: queueCounts, decisions: stores.decisions,
      bulks: stores.bulks, packs: PackPlaces(folder: services.folder, newest: newest),
      recipes: services.recipes, pages: pages,
      queuePages: queue)
    let decisions = DecisionPages(
      cases: cases, queuePages: queue, decisions: stores.decisions, service: services.moderation.decisions,
      answers: answers, protection: stores.protection, queue: stores.queue, claims: services.moderation.claims,
      ranges: services.moderation.ranges, queueCounts: queueCounts)
    let bulks = BulkPages(
      bulks: stores.bulks, service: services.moderation.bulks, queue: stores.queue, templates: stores.templates,
      queueCounts: queueCounts, pages: pages)
    moderation
      .get("queue", use: cases.list)
      .post("queue/next", use: queue.next)
      .get("queue/left", use: queue.left)
      .post("queue/ping", use: queue.ping)
      .post("queue/release", use: queue.release)
      .post("queue/filters", use: queue.saveFilter)
      .post("queue/filters/delete", use: queue.deleteFilter)
      .get("numbers/:number", use: cases.show)
      .get("numbers/:number/publications", use: history.show)
      .post("numbers/:number/notes", use: cases.note)
      .post("numbers/:number/decision", use: decisions.decide)
      .post("numbers/:number/undo", use: decisions.undo)
    moderation.group("numbers/:number/reporters")
      .add(middleware: RequireRole(.moderator))
      .get(use: CaseReporterPages(cases: stores.cases, pages: pages).show)
    moderation.group("numbers/:number/take-over")
      .add(middleware: RequireRole(.administrator))
      .post(use: cases.takeOver)
    moderation.group("bulk")
      .add(middleware: RequireRole(.moderator))
      .get { _, _ in Response.redirect(to: "/moderation/queue", type: .normal) }
      .post(use: bulks.confirm)
      .get("preview", use: bulks.previewAgain)
      .post("preview", use: bulks.preview)
      .get(":id", use: bulks.show)
      .post(":id/finish", use: bulks.finish)
      .post(":id/undo", use: bulks.undo)
  }

  private func teamRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let assignments = AssignmentPages(
      assignments: stores.assignments, queueCounts: queueCounts,
      pages: pages)
    let team = TeamPages(
      team: stores.team, statistics: stores.statistics, reviews: stores.reviews, target: configuration.caseTarget,
      pages: pages)
    moderation.group("team")
      .add(middleware: RequireRole(.moderator))
      .get(use: team.show)
    let transparency = TransparencyPages(
      transparency: stores.transparency, pseudonymizer: services.pseudonymizer, pages: pages)
    moderation.group("transparency")
      .add(middleware: RequireRole(.moderator))
      .get(use: transparency.show)
    let templates = TemplatePages(templates: stores.templates, pages: pages)
    moderation.group("templates")
      .add(middleware: RequireRole(.administrator))
      .get(use: templates.show)
      .post(use: templates.save)
    moderation.group("assignments")
      .add(middleware: RequireRole(.administrator))
      .get(use: assignments.list)
      .post(use: assignments.add)
      .post("remove", use: assignments.remove)
  }

  private func publicationRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let publications = PublicationPages(
      store: stores.publications, jobs: services.publicationJobs, schedule: services.schedule, diff: services.diff,
      pages: pages)
    let orders = PublicationOrderPages(jobs: services.publicationJobs, pages: publications)
    let changes = PublicationDiffPages(diff: services.diff, changes: stores.changes, pages: pages)
    let recipes = RecipePages(recipes: services.recipes, pages: pages)
    let clients = ClientPages(clients: stores.clientFetches, publications: stores.publications, pages: pages)
    let usefulness = UsefulnessPages(stores: stores, pseudonymizer: services.pseudonymizer, pages: pages)
    moderation.group("usefulness")
      .add(middleware: RequireRole(.moderator))
      .get(use: usefulness.show)
    moderation
      .get("publications", use: publications.list)
      .get("publications/:serial", use: publications.one)
      .get("publications/:serial/changes", use: changes.changes)
      .get("recipes", use: recipes.show)
      .get("clients", use: clients.show)
    moderation.group()
      .add(middleware: RequireRole(.administrator))
      .post("publications", use: orders.order)
      .post("publications/schedule", use: orders.schedule)
  }

  private func numberRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let home = HomePages(
      figures: stores.statistics, firstSteps: stores.firstSteps, appeals: stores.appeals,
      publications: stores.publications, sources: stores.sources, remediations: stores.remediations,
      arrivals: ArrivalCache(team: stores.team), pseudonymizer: services.pseudonymizer, schedule: services.schedule,
      canOrder: services.publicationJobs != nil, pages: pages)
    let search = SearchPages(search: stores.search, pages: pages)
    moderation
      .get(use: home.home)
      .get("search", use: search.search)
    let appeals = AppealPages(
      appeals: stores.appeals, search: stores.search, explanations: stores.explanations, answers: answers,
      templates: stores.templates, pages: pages)
    let reviews = ReviewPages(
      reviews: stores.reviews, service: services.moderation.reviews, cases: stores.cases, pages: pages)
    let agreement = AgreementPages(reviews: stores.reviews, pages: pages)
    let golden = GoldenPages(reviews: stores.reviews, service: services.moderation.reviews, pages: pages)
    moderation.group("golden")
      .add(middleware: RequireRole(.administrator))
      .get(use: golden.list)
      .post(use: golden.mark)
      .post("remove", use: golden.remove)
    moderation.group("reviews/activation")
      .add(middleware: RequireRole(.administrator))
      .post(use: reviews.activate)
    moderation.group("reviews/:number/:decision/settle")
      .add(middleware: RequireRole(.administrator))
      .post(use: reviews.settle)
    let reporters = ReporterPages(reporters: stores.reporters, pages: pages)
    let ranges = RangePages(
      ranges: stores.ranges, service: services.moderation.ranges,
      preview: RangePreview(store: stores.publications, folder: services.folder), recipes: services.recipes,
      pages: pages)
    let health = HealthPages(
      health: stores.health, intake: services.intake, folder: services.folder, publications: stores.publications,
      pages: pages)
    moderation.group()
      .add(middleware: RequireRole(.moderator))
      .get("appeals", use: appeals.list)
      .get("appeals/:number", use: appeals.one)
      .post("appeals/:number", use: appeals.answer)
      .get("reviews", use: reviews.list)
      .get("reviews/:number/:decision", use: reviews.one)
      .post("reviews/:number/:decision", use: reviews.record)
      .get("agreement", use: agreement.show)
      .get("reporters", use: reporters.list)
      .get("ranges", use: ranges.list)
      .post("ranges", use: ranges.add)
      .get("ranges/:range", use: ranges.one)
      .post("ranges/:range", use: ranges.decide)
      .get("health", use: health.show)
  }

  /// Adds the routes of thresholds and protected numbers: moderators may read, administrators may change.
  private func settingRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let protected = ProtectedPages(
      protection: stores.protection, catalog: services.protectionCatalog, pages: pages)
    let thresholds = ThresholdPages(
      store: stores.thresholds, previews: services.previews,
      pages: pages)
    let sources = SourcePages(
      stores: stores, previews: services.feedPreviews, catalog: services.sourceCatalog, pages: pages)
    moderation.group("sources")
      .add(middleware: RequireRole(.administrator))
      .get(use: sources.list)
      .post("refresh", use: sources.refresh)
      .post("ceiling", use: sources.changeCeiling)
      .post("add", use: sources.add)
      .post("catalog", use: sources.addListed)
      .post("remove", use: sources.remove)
      .post("resume", use: sources.resume)
    moderation.group()
      .add(middleware: RequireRole(.moderator))
      .get("protected", use: protected.list)
      .get("thresholds", use: thresholds.list)
    moderation.group()
      .add(middleware: RequireRole(.administrator))
      .post("protected", use: protected.add)
      .post("protected/remove", use: protected.remove)
      .post("protected/catalog", use: protected.addCatalog)
      .get("thresholds/edit", use: thresholds.edit)
      .get("thresholds/preview", use: thresholds.result)
      .post("thresholds/preview", use: thresholds.preview)
      .post("thresholds/again", use: thresholds.again)
      .post("thresholds/save", use: thresholds.save)
      .post("thresholds/discard", use: thresholds.discard)
  }

  private func appRoutes(_ moderation: RouterGroup<ServerRequestContext>) {
    let apps = AppPages(
      apps: stores.apps, installations: stores.installations, traffic: services.intake.traffic,
      thresholds: stores.thresholds,
      previews: services.previews, pages: pages)
    moderation.group("apps").add(middleware: RequireRole(.administrator))
      .get(use: apps.list)
      .post(use: apps.create)
      .post("rotate", use: apps.rotate)
      .post("weigh", use: apps.weigh)
      .get("keys/:key", use: apps.key)
      .post("keys/:key/scopes", use: apps.change)
      .post("keys/:key/revoke", use: apps.revoke)
      .post("keys/:key/withdraw", use: apps.withdraw)
  }
}
