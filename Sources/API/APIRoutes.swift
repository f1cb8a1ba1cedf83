// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import HTTPServer
package import Hummingbird
package import Intake
package import Metrics
package import Moderation
package import PhoneNumbers
package import Publishing
package import Storage

package struct APIConfiguration: Sendable {
  /// The region of national numbers of PhoneBlock's clients; nil refuses such numbers.
  package var phoneBlockRegion: PhoneRegion?
  package var addressBooks = AddressBookOptions()
  package var attestation = AttestationTrust()
  /// The apps with a reporting extension of Apple; nil removes the addresses of such extensions.
  package var appleReports: AppleReportSettings? = AppleReportSettings()

  package init() {}
}

package struct APIRoutes {
  private let services: APIServices
  private let catalog: MessageCatalog
  private let description: OpenAPIDocument
  private let configuration: APIConfiguration
  private let access: AccessConfiguration
  private let network: NetworkLimitMiddleware

  /// - Parameter catalog: the messages of explanations.
  package init(
    services: APIServices, configuration: APIConfiguration, access: AccessConfiguration, catalog: MessageCatalog,
    description: OpenAPIDocument, networkLimit: NetworkLimitMiddleware
  ) {
    self.services = services
    self.configuration = configuration
    self.access = access
    self.catalog = catalog
    self.description = description
    network = networkLimit
  }

  package func add(to router: Router<ServerRequestContext>) {
    router.group("openapi.json").add(middleware: AcceptMiddleware())
      .get(use: OpenAPIController(document: description).read)
    let openFiles = OpenFiles()
    let newest = NewestManifest(folder: services.publications, files: openFiles)
    let lists = ListFiles(folder: services.publications)
    publicationRoutes(router, newest: newest, lists: lists, files: FileAnswer(files: openFiles))
    let bodies = BodyReader(budget: BodyBudget(limit: access.limits.bodyBytes))
    let senders = InstallationHeader(installations: services.stores.installations)
    let reports = ReportsController(
      intake: services.intake, limiter: services.limiter, bodies: bodies,
      networkPseudonym: services.pseudonymizer.network(of:), failures: services.failures, senders: senders)
    reportRoutes(router, reports)
    let remediations = RemediationsController(intake: services.remediations, bodies: bodies, senders: senders)
    group(router, .report).add(middleware: AcceptMiddleware()).post("remediations", use: remediations.create)
    numberRoutes(router, newest: newest)
    let identifications = IdentificationsController(
      intake: services.identifications, limiter: services.limiter, bodies: bodies, senders: senders)
    let rights = ReporterRightsController(rights: services.rights, bodies: bodies)
    let reporters = group(router, .vouch).add(middleware: AcceptMiddleware())
    for right in ReporterRightsController.Right.allCases {
      reporters.post("reporters/\(right.rawValue)", use: rights.handler(of: right))
    }
    group(router, .identify).add(middleware: AcceptMiddleware())
      .post("identifications", use: identifications.create)
    if access.interfaces.contains(.telephoneSystems) { telephoneSystemRoutes(router) }
    if access.interfaces.contains(.phoneBlock) {
      PhoneBlockRoutes(
        services: services, region: configuration.phoneBlockRegion, network: network, bodies: bodies, reports: reports,
        newest: newest, lists: lists, files: FileAnswer(files: openFiles)
      ).add(to: router)
    }
    if access.interfaces.contains(.addressBooks) {
      AddressBookRoutes(
        services: services, options: configuration.addressBooks, network: network, bodies: bodies, newest: newest
      )
      .add(to: router)
    }
    installationRoutes(router, bodies)
    if let appleReports = configuration.appleReports { appleRoutes(router, bodies, reports, appleReports) }
    ModerationRoutes(services: services, network: network, bodies: bodies, texts: catalog[.english]).add(to: router)
  }

  package static let telephoneSystemPath = "/v1/pbx"

  private func telephoneSystemRoutes(_ router: Router<ServerRequestContext>) {
    let controller = TelephoneSystemsController(
      lookups: services.stores.lookups, counter: services.remediations.counter,
      metrics: TelephoneSystemMetrics(services.metrics))
    DeadlineRoutes(router, deadline: DatabaseDeadline(always: TelephoneSystemsController.deadline))
      .group("\(Self.telephoneSystemPath)").add(middleware: network)
      .add(middleware: APIKeyMiddleware(directory: services.apps, places: [.bearer, .basic, .query]))
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: .lookup))
      .get("", use: controller.line)
      .get(":number", use: controller.line)
      .get(":number/json", use: controller.json)
  }

  /// Routes under /v1 that need a key with the scope.
  private func group(
    _ router: Router<ServerRequestContext>, _ scope: AppScopes
  ) -> RouterGroup<ServerRequestContext> {
    router.group("v1").add(middleware: network).add(middleware: APIKeyMiddleware(directory: services.apps))
      .add(middleware: ReportRefusalMiddleware(traffic: services.intake.traffic))
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: scope))
  }

  /// Routes for Apple's extensions, which have a token of the installation in their body instead of a key.
  private func appleRoutes(
    _ router: Router<ServerRequestContext>, _ bodies: BodyReader, _ reports: ReportsController,
    _ settings: AppleReportSettings
  ) {
    let metrics = AppleReportMetrics(services.metrics)
    let apple = AppleReportsController(
      settings: settings, installations: services.stores.installations, reports: reports, metrics: metrics)
    let messages = AppleMessagesController(
      settings: settings, lookups: services.stores.lookups, limiter: services.limiter, bodies: bodies, metrics: metrics)
    router.group("v1/apple").add(middleware: network)
      .post("reports", use: apple.create)
      .post("messages", use: messages.filter)
    router.get(
      ".well-known/apple-app-site-association", use: AppleAssociationController(settings: settings).read)
  }

  private func installationRoutes(_ router: Router<ServerRequestContext>, _ bodies: BodyReader) {
    let installations = InstallationsController(
      installations: services.stores.installations, pseudonymizer: services.pseudonymizer,
      trust: configuration.attestation, limiter: services.limiter, bodies: bodies, metrics: services.metrics,
      hasPlainTokens: configuration.appleReports != nil)
    // Without attestation a token needs the scope report, with it install: the controller checks which.
    group(router, []).add(middleware: AcceptMiddleware())
      .post("installations", use: installations.create)
      .delete("installations/:installation_id", use: installations.revoke)
    group(router, .install).add(middleware: AcceptMiddleware())
      .post("installations/challenges", use: installations.challenge)
  }

  private func reportRoutes(_ router: Router<ServerRequestContext>, _ reports: ReportsController) {
    let outcomes = ReportOutcomesController(
      outcomes: services.stores.reportOutcomes, pseudonymizer: services.pseudonymizer,
      senders: InstallationHeader(installations: services.stores.installations))
    group(router, .report).add(middleware: AcceptMiddleware())
      // ReportFastPath answers most of these requests before they reach the router.
      .post("reports", use: reports.create)
      .get("reports/outcomes", use: outcomes.read)
      .delete("reports/:report_id", use: reports.withdraw)
  }

  private func numberRoutes(_ router: Router<ServerRequestContext>, newest: NewestManifest) {
    let ranges = PublishedRanges(store: services.stores.listedRanges, callers: services.stores.callers)
    let numbers = NumbersController(
      explanations: services.stores.explanations, lookups: services.stores.lookups, ranges: ranges,
      appeals: services.stores.appeals, newest: newest, catalog: catalog)
    group(router, .lookup).add(middleware: AcceptMiddleware())
      .get("numbers/:number", use: numbers.explain)
      .get("numbers/by-hash/:prefix", use: numbers.byHash)
      .get("ranges", use: RangesController(ranges: ranges).list)
  }

  private func publicationRoutes(
    _ router: Router<ServerRequestContext>, newest: NewestManifest, lists: ListFiles, files answers: FileAnswer
  ) {
    let publications = PublicationsController(
      folder: services.publications, files: answers, newest: newest, fetches: services.fetches)
    let summary = SummaryController(newest: newest, next: services.nextPublication)
    let files =
      access.publicationsNeedKey ? group(router, .fetch).add(middleware: PrivateMiddleware()) : router.group("v1")
    for folder in ["roots"] + PublicationFolder.folders {
      files.get("\(folder)/:file", use: publications.files(in: folder))
    }
    if access.interfaces.contains(.lists) { listRoutes(files, newest: newest, lists: lists, files: answers) }
    let numbers = NumberPublicationsController(
      newest: newest, histories: PackHistories(folder: services.publications),
      explanations: services.stores.explanations, protection: services.stores.protection,
      interfaces: access.interfaces)
    group(router, .lookup).add(middleware: AcceptMiddleware())
      .get("numbers/:number/publications", use: numbers.history)
    files.add(middleware: AcceptMiddleware())
      .get("manifest.json", use: publications.manifest)
      .get("summary", use: summary.summary)
      .get("root.json", use: publications.newestRoot)
  }

  /// - Parameter group: admits the requests that may fetch publications.
  private func listRoutes(
    _ group: RouterGroup<ServerRequestContext>, newest: NewestManifest, lists: ListFiles, files: FileAnswer
  ) {
    let controller = ListsController(
      newest: newest, lists: lists, files: files, stores: services.stores,
      presets: SpamBlockerPresets(needsKey: access.publicationsNeedKey), access: access,
      hasPhoneBlock: access.interfaces.contains(.phoneBlock), metrics: ListMetrics(services.metrics))
    group.get("lists/:file", use: controller.list)
    group.group().add(middleware: AcceptMiddleware()).get("lists", use: controller.catalogue)
  }
}

package struct APIServices: Sendable {
  let stores: Stores
  let moderation: ModerationServices
  let intake: ReportIntake
  let identifications: IdentificationIntake
  let remediations: RemediationIntake
  let pseudonymizer: Pseudonymizer
  let rights: RightsService
  let apps: APIKeyCache
  let fetches: ClientFetchCounter
  package let limiter: RateLimiter
  let publications: PublicationFolder
  let nextPublication: @Sendable (Date) -> Date?
  let failures: FailureLog
  let metrics: any MetricsFactory

  /// - Parameter nextPublication: the next scheduled publication after a given time.
  package init(
    stores: Stores, moderation: ModerationServices, intake: ReportIntake, identifications: IdentificationIntake,
    remediations: RemediationIntake, pseudonymizer: Pseudonymizer, rights: RightsService, uses: KeyUseCounter,
    fetches: ClientFetchCounter, limiter: RateLimiter,
    publications: PublicationFolder,
    nextPublication: @escaping @Sendable (Date) -> Date?, failures: FailureLog, metrics: any MetricsFactory
  ) {
    self.stores = stores
    self.moderation = moderation
    self.intake = intake
    self.identifications = identifications
    self.remediations = remediations
    self.pseudonymizer = pseudonymizer
    self.rights = rights
    apps = APIKeyCache(apps: stores.apps, uses: uses)
    self.fetches = fetches
    self.limiter = limiter
    self.publications = publications
    self.nextPublication = nextPublication
    self.failures = failures
    self.metrics = metrics
  }
}
