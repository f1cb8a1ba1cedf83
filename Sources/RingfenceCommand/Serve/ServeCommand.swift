import ArgumentParser
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Logging
import Metrics
import ModerationSite
import NIOCore
import Publishing
import RingfenceServer
import Storage
import Telemetry

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

  @Flag(help: "On the first start load demo data and publish; print how to try things out.")
  var demo = false

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
      --demo is given.
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

  private var schedule: PublicationSchedule? { publishAt.flatMap { PublicationSchedule(time: $0, zone: timeZone) } }

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
    _ = ProcessStatistics.startTime
    let metrics = PrometheusMetricsFactory(logger: .server)
    // The metrics of libraries appear beside our own.
    MetricsSystem.bootstrap(metrics)
    // PostgreSQL has its share of the cores too, and so has the work that is not done on event loops.
    NIOSingletons.groupLoopCountSuggestion = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    try await CommandContext.open(database, owns: true, makes: true, logger: .server) { context in
      let welcome = demo ? try await DemoData(context: context).prepare() : nil
      let server = try await context.server(
        publication: publication,
        options: Server.JobOptions(
          schedule: schedule, retention: kept, webhookSecret: try context.folder.webhookSecret(),
          drain: .seconds(drain)),
        metrics: metrics, logger: .server)
      do {
        try await server.run(configuration: try configuration(of: context)) { port in
          let address = address(port: port)
          print(welcome?.text(address: address) ?? "Listening on \(address)")
          fflush(nil)
        }
      } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
        throw cannotListen(String(cString: strerror(error.errnoCode)))
      } catch is SocketAddressError {
        throw cannotListen("there is no such name or address")
      }
    }
  }

  private func configuration(of context: CommandContext) throws -> ServerConfiguration {
    let installation = context.installation
    return ServerConfiguration(
      host: host, port: port, publicFolder: installation.publicFiles, templateFolder: installation.templates,
      textFolder: installation.texts, openAPIFile: installation.openAPI, isSecure: url?.hasPrefix("https:") ?? false,
      secondFactor: secondFactor ?? (demo ? .nobody : .administrators), limits: limits ? .standard : .off,
      trustsProxy: trustProxy, publicationsNeedKey: fetchNeedsKey, metricsToken: try context.folder.metricsToken(),
      logsRequests: observation.logRequests, publicNumbers: publicNumberPages, appealDifficulty: appealWork,
      appealDelay: appealDelay)
  }

  /// The address that browsers and apps use. An IPv6 address stands in brackets.
  private func address(port: Int) -> String {
    let host = host.contains(":") ? "[\(host)]" : host
    return (url ?? "http://\(host):\(port)").replacing(/\/+$/, with: "")
  }

  private func cannotListen(_ reason: String) -> CommandFailure {
    .failed("Cannot listen on port \(port) of \(host): \(reason). Choose others with --port and --host.")
  }
}
