// SPDX-License-Identifier: Apache-2.0

import API
import ServerSupport
import CallerPack
import Foundation
import HTTPServer
import Hummingbird
import Importing
import Intake
import Jobs
import Logging
import Moderation
import ModerationSite
import Publishing
import ServiceLifecycle
import Storage
import UnixSignals

/// The application and its background jobs.
struct Server: Sendable {
  let services: ServerServices
  let publisher: Publisher
  /// The intake's cache of protected numbers.
  let protection: ProtectionCache
  /// The numbers that the intake has changed.
  let pending: PendingNumberQueue
  let configuration: ServerConfiguration
  let outbox: OutboxJob
  let afterPublish: AfterPublish?
  /// Downloads sources; nil if this server downloads none.
  let sources: SourceRefresher?
  let logger: Logger

  /// Serves until SIGTERM or SIGINT.
  /// - Parameter onRunning: receives the port when the server listens.
  func run(onRunning: @escaping @Sendable (Int) async -> Void) async throws {
    let (records, publisher, schedule) = (records, publisher, services.site.schedule)
    self.services.metrics.collect { exposition in
      exposition.gauge("ringfence_publication_failing", publisher.isFailing ? 1 : 0)
      exposition.time("ringfence_publication_due_time_seconds", schedule.value?.last(atOrBefore: Date()))
      exposition.gauge(
        "ringfence_record_writable",
        RecordFiles.Kind.allCases.map { ([("record", $0.rawValue)], records.failure(of: $0) == nil ? 1 : 0) })
    }
    let application = buildApplication(
      services: services, texts: try ServerTexts(configuration: configuration), configuration: configuration,
      logger: logger, onRunning: onRunning)
    // Services stop in reverse order: readiness fails, then the listener closes and received requests are answered.
    // When the intake closes, no more requests arrive.
    let services: [any Service] =
      jobs()
      + [application, ReadinessService(readiness: services.readiness, drain: configuration.drain)]
    var group = ServiceGroupConfiguration(
      services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = .seconds(15) + configuration.drain
    try await ServiceGroup(configuration: group).run()
  }

  private var records: RecordFiles {
    RecordFiles(journal: services.site.rights.journal, output: configuration.auditOutput)
  }

  /// The intakes are first, so that they stop last.
  private func jobs() -> [JobService] {
    let stores = services.stores
    let apps = AppJob(
      apps: stores.apps, withdrawals: stores.keyWithdrawals, uses: services.keyUses, clients: stores.clientFetches,
      fetches: services.fetches, logger: logger)
    let retention = RetentionJob(store: stores.retention, limits: configuration.retention, logger: logger)
    let publication = PublicationScheduler(
      publisher: publisher, leases: stores.leases, schedule: services.site.schedule, logger: logger)
    let folder = services.publications
    let warnings = WarningJob(
      stores: stores, caseTarget: configuration.site.caseTarget, rootExpiry: { try folder.root()?.expires },
      records: records,
      logger: logger)
    let weights = ReporterWeightJob(
      reporters: stores.reporters, protection: stores.protection, ranges: stores.ranges, logger: logger)
    let queue = QueueJob(
      stores: stores, decisions: services.site.moderation.decisions, holding: BrigadeReview(store: stores.holds),
      protection: protection, touched: pending, logger: logger)
    let statistics = StatisticsJob(figures: stores.statistics, appeals: stores.appeals, logger: logger)
    let audit = configuration.auditOutput.map {
      AuditOutputJob(output: $0, auditLog: stores.auditLog, leases: stores.leases, logger: logger)
    }
    let sources = self.sources.map { SourceRefreshJob(sources: stores.sources, refresher: $0, logger: logger) }
    return [
      JobService(work: services.intake.run, close: services.intake.close),
      JobService(work: services.identifications.run, close: services.identifications.close),
      JobService(work: services.remediations.run, close: services.remediations.close),
      // Stopped after the listener, so that the last calls are stored.
      JobService(
        work: { [remediations = services.remediations, logger] in
          await repeatedly(every: .seconds(10), "Cannot store the counts of calls", logger: logger) {
            let lost = try await remediations.counter.flush()
            if lost > 0 { logger.error("Counts of calls were lost", metadata: ["calls": "\(lost)"]) }
          }
        }, finish: { [remediations = services.remediations] in _ = try? await remediations.counter.flush() }),
      JobService(work: retention.run),
      // A running publication is canceled; the next start makes it again.
      JobService(work: publication.run),
      JobService(work: { [afterPublish, logger] in
        await repeatedly(
          every: .seconds(2), "The program after publications cannot be run", logger: logger
        ) {
          if try await afterPublish?.run() != nil { try await Task.sleep(for: AfterPublish.pause) }
        }
      }),
      JobService(work: outbox.run),
      JobService(work: warnings.run),
      JobService(work: weights.run),
      JobService(work: { [protection, logger] in
        await repeatedly(every: ProtectionCache.interval, "Cannot read protected numbers", logger: logger) {
          try await protection.refresh()
        }
      }),
      JobService(work: { [logger] in
        await repeatedly(every: NumberingPlanStore.interval, "Cannot read the numbering plans", logger: logger) {
          try await stores.numbering.refresh(at: Date())
        }
      }),
      // After a kill of an import, and after a migration.
      JobService(work: { [logger] in
        await repeatedly(every: .seconds(10), "Cannot make the index of names", logger: logger) {
          _ = try await stores.indexDirectoryWords()
        }
      }),
      JobService(work: { [logger] in
        await repeatedly(every: .seconds(2), "Cannot check the database's connections", logger: logger) {
          try await stores.endSilentConnections(after: .seconds(5))
        }
      }),
      JobService(work: queue.run),
      JobService(work: apps.run, finish: { try? await apps.finish() }),
      JobService(work: services.site.run, close: services.site.close),
      JobService(work: statistics.run),
    ] + [sources.map { JobService(work: $0.run) }, audit.map { JobService(work: $0.run) }].compactMap { $0 }
  }
}

/// A background job that runs until the server stops.
private struct JobService: Service {
  /// Ends when its task is canceled, or after `close`.
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
