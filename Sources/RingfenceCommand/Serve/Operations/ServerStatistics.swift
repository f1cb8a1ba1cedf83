// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import Intake
import PhoneNumbers
import Publishing
import Storage
import ServerSupport

/// Statistics collected when the metrics are read: queues, the pool, the process and, at most every few seconds, the
/// database.
actor ServerStatistics {
  // Separate members instead of `ServerServices`: the metrics factory retains this collector, which must not retain the
  // factory.
  private let stores: Stores
  private let intake: ReportIntake
  private let identifications: IdentificationIntake
  private let readiness: Readiness
  private let publications: PublicationFolder
  private let caseTarget: TimeInterval
  private let nextPublication: @Sendable (Date) -> Date?
  private var known: (figures: OperationalStatistics, at: ContinuousClock.Instant)?
  private var asking: Task<OperationalStatistics?, Never>?

  /// The cache lifetime of database statistics, and the timeout for reading them.
  private static let (lifetime, patience) = (Duration.seconds(5), Duration.seconds(2))

  /// - Parameter caseTarget: the longest time that a case should wait, in seconds.
  init(services: ServerServices, caseTarget: TimeInterval) {
    self.caseTarget = caseTarget
    stores = services.stores
    intake = services.intake
    identifications = services.identifications
    readiness = services.readiness
    publications = services.publications
    nextPublication = services.nextPublication
  }

  /// Registers this collector, which runs whenever the metrics are read.
  nonisolated func join(_ metrics: PrometheusMetricsFactory) {
    metrics.collect { exposition in await self.write(to: &exposition) }
  }

  private nonisolated func write(to exposition: inout Exposition) async {
    let figures = await figures()
    exposition.gauge(
      "ringfence_intake_queue_items",
      [
        ([("kind", "reports")], Double(intake.depth)),
        ([("kind", "identifications")], Double(identifications.depth)),
      ])
    exposition.gauge(
      "ringfence_intake_queue_capacity_items",
      [
        ([("kind", "reports")], Double(intake.capacity)),
        ([("kind", "identifications")], Double(identifications.capacity)),
      ])
    let pool = stores.operations.occupancy
    exposition.gauge(
      "ringfence_database_pool_connections",
      [([("state", "leased")], Double(pool.leased)), ([("state", "idle")], Double(pool.idle))])
    exposition.gauge("ringfence_database_pool_waiting", Double(pool.waiting))
    exposition.gauge("ringfence_review_queue_target_seconds", caseTarget)
    exposition.gauge("ringfence_stopping", readiness.isStopping ? 1 : 0)
    exposition.gauge("ringfence_database_up", figures == nil ? 0 : 1)
    let nodes = await stores.health.states()
    if nodes.count > 1 {
      exposition.gauge("ringfence_database_node_up", nodes.map { ([("node", $0.name)], $0.answers ? 1 : 0) })
    }
    if let figures { figures.write(to: &exposition) }
    exposition.gauge("ringfence_publication_next_time_seconds", nextPublication(Date())?.timeIntervalSince1970)
    if let newest = try? publications.head()?.head {
      exposition.gauge("ringfence_publication_expires_time_seconds", newest.expires.timeIntervalSince1970)
    }
    exposition.gauge(
      "ringfence_numbering_plans_time_seconds", NumberingPlans.current.time?.timeIntervalSince1970)
    ProcessStatistics.write(to: &exposition)
  }

  /// Nil if the database does not answer in time.
  private func figures() async -> OperationalStatistics? {
    if let known, ContinuousClock.now - known.at < Self.lifetime { return known.figures }
    if let asking { return await asking.value }
    let store = stores.operations
    let task = Task { try? await withDeadline(Self.patience) { try await store.figures() } }
    asking = task
    let figures = await task.value
    asking = nil
    known = figures.map { ($0, .now) }
    return figures
  }
}

extension OperationalStatistics {
  /// Times are seconds since 1970; Prometheus computes ages from them.
  fileprivate func write(to exposition: inout Exposition) {
    if let newest {
      exposition.gauge("ringfence_publication_serial", Double(newest.serial))
      exposition.gauge("ringfence_publication_time_seconds", newest.publishedAt.timeIntervalSince1970)
      exposition.gauge("ringfence_publication_entries", Double(newest.entries))
      exposition.gauge("ringfence_publication_bytes", Double(newest.bytes))
    }
    func figures(_ value: (Pack) -> Int64) -> [([(String, String)], Double)] {
      packs.map { ([("pack", $0.name)], Double(value($0))) }
    }
    if !packs.isEmpty {
      exposition.gauge("ringfence_publication_pack_entries", figures(\.entries))
      exposition.gauge("ringfence_publication_pack_bytes", figures(\.bytes))
    }
    exposition.counter(
      "ringfence_publication_runs_total",
      runs.map { ([("cause", $0.cause), ("state", $0.state)], Double($0.count)) })
    exposition.gauge("ringfence_publication_gates_failed", Double(failedGates))
    exposition.gauge("ringfence_publication_run_failed", hasFailedRun ? 1 : 0)
    write(outbox, "ringfence_outbox_backlog", to: &exposition)
    write(revocations, "ringfence_revocations_open", to: &exposition)
    write(reviewQueue, "ringfence_review_queue_cases", to: &exposition)
    exposition.gauge(
      "ringfence_sources",
      [([("state", "good")], Double(goodSources)), ([("state", "failing")], Double(failingSources))])
    var ages: [([(String, String)], Double)] = []
    for (place, age) in ["1d", "7d", "30d", "older"].enumerated() {
      // The product without a name, which counts the rest, is always there, so that alerts have a value.
      var fetches = ["": 0.0]
      for version in clients { fetches[version.product, default: 0] += Double(version.byAge[place]) }
      ages += fetches.sorted { $0.key < $1.key }.map { ([("product", $0.key), ("age", age)], $0.value) }
    }
    exposition.gauge("ringfence_client_fetches", ages)
    exposition.gauge("ringfence_sources_oldest_refresh_time_seconds", oldestSource?.timeIntervalSince1970)
    func bySource(_ value: (Source) -> Double?) -> [([(String, String)], Double)] {
      sources.compactMap { source in value(source).map { ([("source", source.name)], $0) } }
    }
    exposition.gauge("ringfence_source_refresh_time_seconds", bySource { $0.refreshedAt?.timeIntervalSince1970 })
    exposition.gauge("ringfence_source_entries", bySource { Double($0.entries) })
    exposition.gauge("ringfence_source_failures", bySource { Double($0.failures) })
    exposition.gauge(
      "ringfence_source_decided_numbers",
      sources.flatMap { source in
        [("confirmed", source.confirmed), ("wrong", source.wrong)].map {
          ([("source", source.name), ("result", $0.0)], Double($0.1))
        }
      })
    exposition.gauge("ringfence_source_suspended", bySource { $0.isSuspended ? 1 : 0 })
    exposition.gauge("ringfence_reports_partitions", Double(partitions))
  }

  private func write(_ waiting: Waiting, _ name: String, to exposition: inout Exposition) {
    exposition.gauge(name, Double(waiting.count))
    exposition.gauge("\(name)_oldest_time_seconds", waiting.oldest?.timeIntervalSince1970)
  }
}
