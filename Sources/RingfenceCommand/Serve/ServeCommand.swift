// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Accounts
import Curation
import PostgreSQL
import Foundation
import FoundationEssentials
import HTTPServer
import Hummingbird
import Importing
import Intake
import Jobs
import Logging
import Metrics
import ModerationSite
import NIOCore
import Publishing
import Storage
import ServerSupport

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server: API, moderation pages and publications.")

  @OptionGroup var database: DatabaseOptions

  @Option(\.archive) var archive: String?
  @Option(\.archiveTimeout) var archiveTimeout: String?
  @Option(\.host) var host: String?
  @Option(\.port) var port: String?
  @Option(\.url) var url: String?
  @Flag(\.demo) var demo: Bool?
  @Option(\.drain) var drain: String?
  @Flag(\.trustProxy) var trustProxy: Bool?
  @Option(\.maxConnections) var maxConnections: String?
  @Option(\.publicNumberPages) var publicNumberPages: String?
  @Option(\.appealWork) var appealWork: String?
  @Option(\.appealDelay) var appealDelay: String?
  @Flag(\.limits) var limits: Bool?
  @Flag(\.fetchNeedsKey) var fetchNeedsKey: Bool?
  @Flag(\.lists) var lists: Bool?
  @Flag(\.telephoneSystems) var telephoneSystems: Bool?
  @Flag(\.phoneblock) var phoneblock: Bool?
  @Option(\.phoneblockRegion) var phoneblockRegion: String?
  @Flag(\.addressBooks) var addressBooks: Bool?
  @Option(\.addressBookNumbers) var addressBookNumbers: String?
  @Option(\.addressBookRegion) var addressBookRegion: String?
  @Flag(\.addressBookDay) var addressBookDay: Bool?
  @Flag(\.appleReports) var appleReports: Bool?
  @Option(\.secondFactor) var secondFactor: String?
  @Option(\.commentDays) var commentDays: String?
  @Option(\.reportMonths) var reportMonths: String?
  @Option(\.publishAt) var publishAt: String?
  @Option(\.timeZone) var timeZone: String?

  @OptionGroup var publication: PublicationOptions

  @Option(\.logFormat) var logFormat: String?
  @Flag(\.logRequests) var logRequests: Bool?

  func run() async throws {
    ProcessLimits.forbidCoreDumps()
    let settings = try Settings(of: self)
    let checked = try ServerConfiguration(settings, Installation.find(settings))
    let (demo, url, policy) = (try settings.demo, try settings.url, try PublicationPolicy(settings))
    LogFormat.current = try settings.logFormat
    // Libraries log to the same output.
    LoggingSystem.bootstrap { ServerLogHandler(label: $0) }
    _ = ProcessStatistics.startTime
    let metrics = PrometheusMetricsFactory(logger: .server)
    // Libraries write their metrics to the same registry.
    MetricsSystem.bootstrap(metrics)
    // PostgreSQL and work outside event loops need cores too.
    NIOSingletons.groupLoopCountSuggestion = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    let archiving = try EmbeddedPostgres.Archiving(settings)
    try await CommandContext.open(
      settings, owns: true, makes: true, archiving: archiving, logger: .server
    ) { context in
      try Recipe.noteServed(settings.recipes, data: context.folder.path)
      var completed = checked
      completed.maxConnections = ProcessLimits.raiseOpenFiles(
        forConnections: checked.maxConnections, logger: .server)
      // Created with the data folder, after all settings have been checked.
      completed.metricsToken = try context.folder.key("metrics.token", \.metricsToken)
      let configuration = completed
      let welcome = demo ? try await DemoData(context: context).prepare() : nil
      let isNew = try await context.stores.accounts.accounts(at: Date()).isEmpty
      let server = try await context.server(configuration, policy, metrics: metrics, logger: .server)
      let manager = ServiceManager()
      let watching = Task { await manager.watch() }
      defer { watching.cancel() }
      do {
        let place = context.folder.lockServerAddress()
        defer { withExtendedLifetime(place) {} }
        try await server.run { port in
          let host = configuration.host
          if place != nil { context.folder.noteServer(Settings.address(url: url, host: host, port: port)) }
          manager.tell("READY=1\nSTATUS=\(Self.listening(url: url, host: host, port: port).prefix { $0 != "\n" })")
          print(
            welcome?.text(address: Settings.address(url: url, host: host, port: port))
              ?? Self.listening(url: url, host: host, port: port) + (isNew ? Self.nextSteps : ""))
          fflush(nil)
        }
      } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
        throw cannotListen(configuration, String(cString: strerror(error.errnoCode)))
      } catch is SocketAddressError {
        throw cannotListen(configuration, "there is no such name or address")
      }
    }
  }

  private static let nextSteps = """

    There is no account yet. In another terminal, with the --data or --config of this server:
      ringfence account add NAME --role administrator, then ringfence sign-in-link NAME: the pages
      ringfence app create "My app": a key for an app
      ringfence sources add: the first numbers
    """

  /// Says where the server listens, and its address for others if that differs.
  static func listening(url: String?, host: String, port: Int) -> String {
    let own = Settings.address(url: nil, host: host, port: port)
    let name = host.contains(":") ? "[::1]" : "127.0.0.1"
    return [
      "Listening on \(own)",
      ["0.0.0.0", "::"].contains(host)
        ? "\(host) means all addresses of this machine. On this machine, open http://\(name):\(port)" : nil,
      url.map { _ in "Its address for others is \(Settings.address(url: url, host: host, port: port))" },
    ].compactMap(\.self).joined(separator: "\n")
  }

  private func cannotListen(_ configuration: ServerConfiguration, _ reason: String) -> CommandFailure {
    .failed(
      "Cannot listen on port \(configuration.port) of \(configuration.host): \(reason). Choose others with --port and "
        + "--host.")
  }
}

extension CommandContext {
  func server(
    _ configuration: ServerConfiguration, _ policy: PublicationPolicy, metrics: PrometheusMetricsFactory, logger: Logger
  ) async throws -> Server {
    try checkRecords(configuration.auditOutput)
    try await stores.reports.checkCluster()
    let pseudonymizer = try folder.pseudonymizer()
    let accountKey = try await accountKey()
    try await stores.outbox.replaceReceivers(policy.webhooks.urls.map(\.absoluteString))
    try await stores.auditLog.setOutput(configuration.auditOutput?.text, at: Date())
    let protection = ProtectionCache(store: stores.protection)
    try await protection.refresh()
    let pending = PendingNumberQueue()
    let intake = ReportIntake(
      store: stores.reports, pseudonymizer: pseudonymizer, protection: protection, touched: pending,
      stalled: { duration in
        logger.error(
          "Reports are not stored: PostgreSQL does not end a commit, perhaps because another session locks its rows",
          metadata: ["seconds": .stringConvertible(duration.components.seconds)])
      },
      metrics: metrics)
    let publisher = try publisher(policy, recipes: try folder.settings.recipes, logger: logger)
    let accounts = AccountServices(
      sessions: stores.sessions.with(sessionLifetime: try folder.settings.sessionHours),
      accounts: stores.accounts, attempts: stores.attempts, auditLog: stores.auditLog,
      key: accountKey,
      commonPasswords: try CommonPasswords(contentsOf: URL(filePath: installation.commonPasswords)))
    let schedule = CurrentSchedule(configuration.schedule, zone: configuration.zone)
    try await schedule.refresh(stores.publications)
    let site = SiteServices(
      stores: stores, moderation: moderation, accounts: accounts, intake: intake, pseudonymizer: pseudonymizer,
      rights: try rights(), folder: publicationFolder,
      review: BrigadeReview(store: stores.holds), publicationJobs: publicationJobs(publisher, logger: logger),
      feedPreviews: try feedPreviewer(limits: .preview),
      sourceCatalog: try SourceCatalog.read(resources: installation.resources).sources,
      protectionCatalog: try ProtectionCatalog.read(resources: installation.resources),
      recipes: recipes(try folder.settings.recipes),
      schedule: schedule, logger: logger)
    let services = ServerServices(
      stores: stores, intake: intake,
      identifications: IdentificationIntake(store: stores.identifications, metrics: metrics),
      remediations: RemediationIntake(store: stores.remediationIntake, pseudonymizer: pseudonymizer, metrics: metrics),
      pseudonymizer: pseudonymizer, site: site, metrics: metrics, publications: publicationFolder,
      nextPublication: { schedule.value?.next(after: $0) })
    try FolderMetrics(
      folder, auditOutput: configuration.auditOutput.flatMap { if case .file(let path) = $0 { path } else { nil } },
      operations: stores.operations
    ).join(metrics)
    return Server(
      services: services, publisher: publisher, protection: protection, pending: pending,
      configuration: configuration, outbox: try outboxJob(logger: logger),
      afterPublish: try afterPublish(logger: logger),
      sources: try feedRefresher(), logger: logger)
  }

  /// Refuses to serve where the erasure journal or the file of the audit log cannot be written. A full disk is no reason: its
  /// requests are refused until there is space.
  private func checkRecords(_ output: AuditOutput?) throws {
    let records = RecordFiles(journal: try folder.journal, output: output)
    for kind in RecordFiles.Kind.allCases {
      guard let failure = records.failure(of: kind), !failure.isFullDisk else { continue }
      let isJournal = kind == .erasureJournal
      throw CommandFailure.failed(
        "Cannot write the \(isJournal ? "erasure journal" : "file of the audit log") \(failure.reason). Let the account of "
          + "the server write it, or change the setting \(isJournal ? "erasure-journal" : "audit-out").")
    }
  }

  /// Sends messages about events by the settings of this server.
  func outboxJob(logger: Logger) throws -> OutboxJob {
    let settings = folder.settings
    let key = try folder.pseudonymizer().secret(for: AppealTicket.purpose)
    let mail = EventMail(
      catalog: try MessageCatalog(folder: installation.texts),
      address: Settings.address(url: try settings.url, host: try settings.host, port: try settings.port),
      ticket: { AppealTicket(stamp: $0, key: key)?.code })
    let codes = OwnerCodeMessage(pseudonymizer: try folder.pseudonymizer())
    return OutboxJob(
      store: stores.outbox, secret: try folder.key("webhook.secret", \.webhookSecret),
      mailer: try Mailer(settings, folder: folder.path),
      writer: { message in
        codes.body(of: message).flatMap { mail.write(kind: message.event, body: $0, language: message.language) }
      }, opener: codes.body(of:),
      logger: logger)
  }

  /// - Throws: ``CommandFailure`` if the second factors are encrypted with another key.
  func accountKey() async throws -> AccountKey {
    let key = try folder.accountKey()
    guard try await stores.accounts.isKept(with: key.fingerprint) else {
      throw CommandFailure.failed(
        """
        The account key of this server does not match the second factors in this database. Set the matching key with \
        RINGFENCE_ACCOUNT_KEY or RINGFENCE_ACCOUNT_KEY_FILE, or copy account.key from another server's data folder or a \
        backup. If the key is lost, reset each account with a second factor with `ringfence account reset NAME`, and \
        start again.
        """)
    }
    return key
  }

  /// Runs publications ordered on a page, one at a time on all servers.
  private func publicationJobs(_ publisher: Publisher, logger: Logger) -> PublicationOrders {
    let leases = stores.leases
    return PublicationOrders(store: stores.jobs, logger: logger) { request in
      let made = try await leases.withLease(of: LeaseStore.publishing) { try await publisher.publish(request) }
      guard made != nil else { throw PublishingError.busy }
    }
  }

  /// Reads the recipes again at each call.
  private func recipes(_ file: String?) -> @Sendable () -> RecipeReading {
    let (folder, installation) = (folder, installation)
    return {
      let path = Recipe.file(named: file, data: folder.path, installation: installation)
      do throws(RecipeFileError) {
        return RecipeReading(file: path, outcome: .success(try RecipeFile.read(contentsOf: path)))
      } catch {
        return RecipeReading(file: path, outcome: .failure(error))
      }
    }
  }
}
