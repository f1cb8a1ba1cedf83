// SPDX-License-Identifier: Apache-2.0

import API
import AsyncSupport
import HTTPServer
import Hummingbird
package import Importing
package import Intake
package import Jobs
package import Logging
import ModerationSite
package import Publishing
import ServiceLifecycle
import Storage
import UnixSignals

/// The application and its background jobs.
package struct Server: Sendable {
  /// Settings of the background jobs.
  package struct JobOptions: Sendable {
    /// The schedule of publications; nil if none are scheduled.
    package var schedule: PublicationSchedule?
    /// The retention limits of data.
    package var retention: RetentionJob.Limits
    /// The key that signs webhook messages.
    package var webhookSecret: WebhookSecret
    /// Downloads sources; nil if this server downloads none.
    package var sources: SourceRefresher?
    /// The time for which the listener stays open after readiness has failed.
    package var drain: Duration

    package init(
      schedule: PublicationSchedule?, retention: RetentionJob.Limits, webhookSecret: WebhookSecret,
      sources: SourceRefresher? = nil, drain: Duration
    ) {
      self.schedule = schedule
      self.retention = retention
      self.webhookSecret = webhookSecret
      self.sources = sources
      self.drain = drain
    }
  }

  private let services: ServerServices
  private let publisher: Publisher
  private let protection: ProtectionCache
  private let pending: PendingNumberQueue
  private let options: JobOptions
  private let logger: Logger

  /// - Parameters:
  /// - protection: the intake's cache of protected numbers.
  /// - pending: the numbers that the intake has changed.
  package init(
    services: ServerServices, publisher: Publisher, protection: ProtectionCache, pending: PendingNumberQueue,
    options: JobOptions, logger: Logger
  ) {
    self.services = services
    self.publisher = publisher
    self.protection = protection
    self.pending = pending
    self.options = options
    self.logger = logger
  }

  /// Serves until SIGTERM or SIGINT.
  /// - Parameter onRunning: receives the port when the server listens.
  package func run(
    configuration: ServerConfiguration, onRunning: @escaping @Sendable (Int) async -> Void
  ) async throws {
    let application = try await buildApplication(
      services: services, configuration: configuration, logger: logger, onRunning: onRunning)
    // Services stop in reverse order: readiness fails, then the listener closes and received requests are answered.
    // When the intake closes, no more requests arrive.
    let services: [any Service] =
      jobs + [application, ReadinessService(readiness: services.readiness, drain: options.drain)]
    var group = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = .seconds(15) + options.drain
    try await ServiceGroup(configuration: group).run()
  }

  /// The intakes are first, so that they stop last.
  private var jobs: [JobService] {
    let stores = services.stores
    let apps = AppJob(apps: stores.apps, withdrawals: stores.keyWithdrawals, uses: services.keyUses, logger: logger)
    let retention = RetentionJob(store: stores.retention, limits: options.retention, logger: logger)
    let publication = PublicationScheduler(
      publisher: publisher, leases: stores.leases, schedule: options.schedule, logger: logger)
    let webhooks = WebhookJob(store: stores.webhooks, secret: options.webhookSecret, logger: logger)
    let weights = ReporterWeightJob(
      reporters: stores.reporters, protection: stores.protection, ranges: stores.ranges, logger: logger)
    let queue = QueueJob(stores: stores, protection: protection, touched: pending, logger: logger)
    let statistics = StatisticsJob(figures: stores.statistics, appeals: stores.appeals, logger: logger)
    let sources = options.sources.map { SourceRefreshJob(sources: stores.sources, refresher: $0, logger: logger) }
    return [
      JobService(work: services.intake.run, close: services.intake.close),
      JobService(work: services.identifications.run, close: services.identifications.close),
      JobService(work: retention.run),
      // A running publication is cancelled; the next start makes it again.
      JobService(work: publication.run),
      JobService(work: webhooks.run),
      JobService(work: weights.run),
      JobService(work: { [protection, logger] in
        await repeatedly(every: ProtectionCache.interval, "Cannot read protected numbers", logger: logger) {
          try await protection.refresh()
        }
      }),
      JobService(work: queue.run),
      JobService(work: apps.run, finish: { try? await apps.noteUses() }),
      JobService(work: services.site.run, close: services.site.close),
      JobService(work: statistics.run),
    ] + (sources.map { [JobService(work: $0.run)] } ?? [])
  }
}

/// A background job that runs until the server stops.
private struct JobService: Service {
  /// The work; ends when its task is cancelled, or after `close`.
  let work: @Sendable () async -> Void
  /// Ends the work after all accepted requests are answered; nil cancels it.
  var close: (@Sendable () -> Void)?
  /// Runs after the work has ended.
  var finish: @Sendable () async -> Void = {}

  func run() async {
    if let close {
      // A server that cannot listen cancels its services without a graceful shutdown.
      await withTaskCancellationOrGracefulShutdownHandler {
        await work()
      } onCancelOrGracefulShutdown: {
        close()
      }
    } else {
      await cancelWhenGracefulShutdown { await work() }
    }
    await finish()
  }
}

/// The first service to stop: readiness fails, and the listener stays open for a while if a load balancer needs time to
/// notice.
struct ReadinessService: Service {
  let readiness: Readiness
  let drain: Duration

  func run() async throws {
    // A failure of another service stops this one too; readiness fails in any case.
    defer { readiness.stop() }
    try await gracefulShutdown()
    readiness.stop()
    if drain > .zero { try await Task.sleep(for: drain) }
  }
}
