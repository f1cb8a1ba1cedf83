import ArgumentParser
import Foundation
import Hummingbird
import Intake
import Logging
import NIOCore
import Publishing
import ServiceLifecycle
import Storage
import Telemetry
import UnixSignals
import Web

/// `ringfence serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Take reports, show moderators what they add up to, and serve publications.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Name or address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "Port to listen on; 0 takes any free one.")
  var port = 8080

  @Option(help: "Where browsers and apps reach the server, when that is not http://HOST:PORT.")
  var url: String?

  @Flag(help: "On the first start load sample complaints and publish; print how to try things out.")
  var sample = false

  @Option(help: "Seconds to go on answering with /readyz red before a stop, so that a balancer notices.")
  var drain = 0

  @Flag(help: "Every connection comes from a proxy that adds the client's address to X-Forwarded-For.")
  var trustProxy = false

  @Option(
    help: """
      Show everybody what is known of a number at /number/NUMBER: off, hidden (search engines are asked to leave the \
      pages out) or indexed.
      """,
    transform: { text in
      guard let visibility = PublicNumberVisibility(rawValue: text) else {
        throw ValidationError("--public-number-pages is off, hidden or indexed.")
      }
      return visibility
    })
  var publicNumberPages = PublicNumberVisibility.off

  @Option(help: "Zero bits that a browser looks for before it sends an appeal, 0 to 32; each doubles the work.")
  var appealWork = 17

  @Option(help: "Seconds that the form of appeals has to be open where a browser cannot do that.")
  var appealDelay = 15

  @Flag(inversion: .prefixedNo, help: "Limit what each app, network and reporter may send.")
  var limits = true

  @Flag(help: "Give publications only to apps whose key has the scope fetch.")
  var fetchNeedsKey = false

  @Option(
    help: """
      Who must set up a second factor after the first sign-in: nobody, administrators or everyone. Administrators unless \
      --sample is given.
      """)
  var secondFactor: SecondFactorPolicy?

  @Option(help: "Forget comments that are older than this many days; they are kept unless it is given.")
  var commentDays: Int?

  @Option(
    help: "Drop reports of whole months that are older than this many months, 13 or more; what they add up to stays.")
  var reportMonths: Int?

  @Option(help: "Publish every day at this time of day, such as 03:00; never unless it is given.")
  var publishAt: String?

  @Option(help: "Time zone of --publish-at, such as Europe/Berlin.")
  var timeZone = "UTC"

  @OptionGroup var publication: PublicationOptions

  @OptionGroup var observation: ObservationOptions

  private var schedule: NightSchedule? { publishAt.flatMap { NightSchedule(time: $0, zone: timeZone) } }

  private var nextPublication: @Sendable (Date) -> Date? {
    let schedule = schedule
    return { schedule?.next(after: $0) }
  }

  private var kept: RetentionJob.Limits { RetentionJob.Limits(comments: commentDays, reportMonths: reportMonths) }

  func validate() throws {
    if let commentDays, !(1...36_500).contains(commentDays) { throw ValidationError("--comment-days is 1 to 36500.") }
    let least = RetentionJob.Limits.leastReportMonths
    if let reportMonths, !(least...1_200).contains(reportMonths) {
      throw ValidationError("--report-months is \(least) to 1200: apps may send what is a year old.")
    }
    guard publishAt == nil || schedule != nil else {
      throw ValidationError("--publish-at is a time such as 03:00, and --time-zone a zone such as Europe/Berlin.")
    }
    guard (0...32).contains(appealWork) else { throw ValidationError("--appeal-work is 0 to 32.") }
    guard (0...3_600).contains(appealDelay) else { throw ValidationError("--appeal-delay is 0 to 3600 seconds.") }
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
    guard (0...3_600).contains(drain) else { throw ValidationError("--drain is 0 to 3600 seconds.") }
  }

  func run() async throws {
    LogFormat.current = observation.logFormat
    // What libraries log goes the same way.
    LoggingSystem.bootstrap { ServerLogHandler(label: $0) }
    _ = ProcessFigures.startTime
    let metrics = MetricsRegistry()
    // PostgreSQL has its share of the cores too, and so has the work that is not done on event loops.
    NIOSingletons.groupLoopCountSuggestion = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    try await Workplace.open(database, owns: true, makes: true, logger: .server) { workplace in
      let welcome = sample ? try await Sample(workplace: workplace).prepare() : nil
      let pseudonymizer = try workplace.folder.pseudonymizer()
      let accountKey = try await workplace.accountKey()
      try await workplace.webhooks.replaceReceivers(publication.policy.webhooks.urls.map(\.absoluteString))
      let protection = ProtectionWatch(store: workplace.protection)
      try await protection.refresh()
      let touched = TouchedNumbers()
      let intake = ReportIntake(
        store: workplace.reports, pseudonymizer: pseudonymizer, protection: protection, touched: touched,
        metrics: metrics)
      let identifications = IdentificationIntake(store: workplace.identifications, metrics: metrics)
      let publisher = try workplace.publisher(
        policy: publication.policy, recipes: publication.recipes, logger: .server)
      let beside = workplace.beside(
        publisher: publisher, recipes: publication.recipes, stampKey: pseudonymizer.secret(for: "appeals"))
      let services = WebServices(
        intake: intake, identifications: identifications, pseudonymizer: pseudonymizer, apps: workplace.apps,
        numbers: workplace.numbers, explanations: workplace.explanations, lookups: workplace.lookups,
        rulings: workplace.rulings, queue: workplace.queue, cases: workplace.cases, bulks: workplace.bulks,
        moderators: workplace.moderators,
        people: AccountServices(
          moderators: workplace.moderators, accounts: workplace.accounts, attempts: workplace.attempts,
          trail: workplace.auditTrail, key: accountKey),
        health: workplace.health, operations: workplace.operations, metrics: metrics,
        publications: workplace.publicationFolder, publicationStore: workplace.publications,
        nextPublication: nextPublication, beside: beside)
      let application = try await buildApplication(
        services: services,
        configuration: WebConfiguration(
          host: host, port: port, publicFolder: workplace.installation.publicFiles,
          templateFolder: workplace.installation.templates, textFolder: workplace.installation.texts,
          isSecure: url?.hasPrefix("https:") ?? false,
          secondFactor: secondFactor ?? (sample ? .nobody : .administrators),
          limits: limits ? .standard : .off, trustsProxy: trustProxy,
          publicationsNeedKey: fetchNeedsKey, metricsToken: try observation.metricsToken(),
          logsRequests: observation.logRequests, publicNumbers: publicNumberPages,
          appealDifficulty: appealWork, appealDelay: appealDelay),
        logger: .server,
        onRunning: { port in
          // An address of IPv6 stands in brackets, and paths are put behind the address.
          let host = host.contains(":") ? "[\(host)]" : host
          let address = (url ?? "http://\(host):\(port)").replacing(/\/+$/, with: "")
          print(welcome?.text(address: address) ?? "Listening on \(address)")
          fflush(nil)
        })
      // Stopped from the last to the first: readiness turns red, then the listener closes and what came in is answered;
      // no request comes in any more when the intake closes.
      var configuration = ServiceGroupConfiguration(
        services: [
          .init(service: IntakeService(work: intake.run, close: intake.close)),
          .init(service: IntakeService(work: identifications.run, close: identifications.close)),
          .init(
            service: RetentionService(
              job: RetentionJob(store: workplace.retention, limits: kept, logger: .server))),
          .init(
            service: PublicationService(
              job: PublicationJob(
                publisher: publisher,
                leases: LeaseStore(pool: workplace.pool), schedule: schedule, logger: .server))),
          .init(
            service: WebhookService(
              job: WebhookJob(
                store: workplace.webhooks, secret: try workplace.folder.webhookSecret(), logger: .server))),
          .init(
            service: CurationService(
              job: CurationJob(
                reporters: workplace.reporters, protection: workplace.protection, ranges: workplace.ranges,
                logger: .server),
              protection: protection, logger: .server)),
          .init(
            service: QueueService(
              job: QueueJob(
                queue: workplace.queue, thresholds: ThresholdStore(pool: workplace.pool), protection: protection,
                touched: touched, publications: workplace.publications, leases: LeaseStore(pool: workplace.pool),
                logger: .server))),
          .init(
            service: AppService(
              job: AppJob(
                apps: workplace.apps, withdrawals: workplace.keyWithdrawals, uses: services.keyUses, logger: .server))),
          .init(service: IntakeService(work: beside.run, close: beside.close)),
          .init(
            service: FigureService(
              job: FigureJob(figures: beside.figures, appeals: beside.appeals, logger: .server))),
          .init(service: application),
          .init(service: ReadinessService(readiness: services.readiness, drain: .seconds(drain))),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: .server)
      configuration.maximumGracefulShutdownDuration = .seconds(15 + drain)
      do {
        try await ServiceGroup(configuration: configuration).run()
      } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
        throw cannotListen(String(cString: strerror(error.errnoCode)))
      } catch is SocketAddressError {
        throw cannotListen("there is no such name or address")
      }
    }
  }

  private func cannotListen(_ reason: String) -> CommandFailure {
    .failed("Cannot listen on port \(port) of \(host): \(reason). Choose others with --port and --host.")
  }
}
