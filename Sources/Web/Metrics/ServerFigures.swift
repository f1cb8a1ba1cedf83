import CallerPack
import Foundation
import Intake
import Publishing
import Storage
import Telemetry

/// What is read at the moment of asking: queues, the pool, the process, and, at most every few seconds, the database.
actor ServerFigures {
  private let services: WebServices
  private var known: (figures: OperationFigures, at: ContinuousClock.Instant)?
  private var asking: Task<OperationFigures?, Never>?

  /// How long what the database said is good for, and how long it may take.
  private static let (lifetime, patience) = (Duration.seconds(5), Duration.seconds(2))

  init(services: WebServices) {
    var services = services
    // The registry keeps what it collects from; it must not be kept by that in turn.
    services.metrics = MetricsRegistry()
    self.services = services
  }

  /// Has the figures collected whenever the metrics are read.
  nonisolated func join(_ metrics: MetricsRegistry) {
    metrics.collect { exposition in await self.write(to: &exposition) }
  }

  private nonisolated func write(to exposition: inout Exposition) async {
    let figures = await figures()
    let (intake, identifications) = (services.intake, services.identifications)
    exposition.gauge(
      "ringfence_intake_queue_items", "What waits for its commit to begin.",
      [
        ([Label("kind", "reports")], Double(intake.depth)),
        ([Label("kind", "identifications")], Double(identifications.depth)),
      ])
    exposition.gauge(
      "ringfence_intake_queue_capacity_items", "The most that may wait; more is refused.",
      [
        ([Label("kind", "reports")], Double(intake.capacity)),
        ([Label("kind", "identifications")], Double(identifications.capacity)),
      ])
    let pool = services.operations.occupancy
    exposition.gauge(
      "ringfence_database_pool_connections", "Connections to PostgreSQL.",
      [([Label("state", "leased")], Double(pool.leased)), ([Label("state", "idle")], Double(pool.idle))])
    exposition.gauge("ringfence_database_pool_waiting", "Tasks that wait for a connection.", Double(pool.waiting))
    exposition.gauge(
      "ringfence_stopping", "1 when the server is about to stop.", services.readiness.isStopping ? 1 : 0)
    exposition.gauge("ringfence_database_up", "1 when PostgreSQL answered just now.", figures == nil ? 0 : 1)
    if let figures { figures.write(to: &exposition) }
    exposition.gauge(
      "ringfence_publication_next_time_seconds", "When this server's schedule publishes next, since 1970.",
      services.nextPublication(Date())?.timeIntervalSince1970)
    if let newest = try? services.publications.manifest()?.manifest {
      exposition.gauge(
        "ringfence_publication_expires_time_seconds", "When readers refuse the newest manifest, since 1970.",
        newest.expires.timeIntervalSince1970)
    }
    ProcessFigures.write(to: &exposition)
  }

  /// Nil where the database does not answer in time.
  private func figures() async -> OperationFigures? {
    if let known, ContinuousClock.now - known.at < Self.lifetime { return known.figures }
    if let asking { return await asking.value }
    let store = services.operations
    let task = Task { () -> OperationFigures? in
      await withTaskGroup(of: OperationFigures?.self) { group in
        group.addTask { try? await store.figures() }
        group.addTask {
          try? await Task.sleep(for: Self.patience)
          return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
      }
    }
    asking = task
    let figures = await task.value
    asking = nil
    known = figures.map { ($0, .now) }
    return figures
  }
}

extension OperationFigures {
  /// Times are since 1970: Prometheus makes ages of them.
  fileprivate func write(to exposition: inout Exposition) {
    if let newest {
      exposition.gauge("ringfence_publication_serial", "Serial of the newest publication.", Double(newest.serial))
      exposition.gauge(
        "ringfence_publication_time_seconds", "When the newest publication became visible, since 1970.",
        newest.publishedAt.timeIntervalSince1970)
      exposition.gauge(
        "ringfence_publication_entries", "Entries of all packs of the newest publication.", Double(newest.entries))
      exposition.gauge(
        "ringfence_publication_bytes", "Size of all packs of the newest publication.", Double(newest.bytes))
    }
    func figures(_ value: (Pack) -> Int64) -> [([Label], Double)] {
      packs.map { ([Label("pack", $0.name)], Double(value($0))) }
    }
    if !packs.isEmpty {
      exposition.gauge("ringfence_publication_pack_entries", "Entries, by pack.", figures(\.entries))
      exposition.gauge("ringfence_publication_pack_bytes", "Size of the file, by pack.", figures(\.bytes))
    }
    exposition.counter(
      "ringfence_publication_runs_total", "Attempts to publish, by cause and by how they ended.",
      runs.map { ([Label("cause", $0.cause), Label("state", $0.state)], Double($0.count)) })
    exposition.gauge(
      "ringfence_publication_gates_failed", "Gates that the last attempt did not pass.", Double(failedGates))
    write(webhooks, "ringfence_webhook_backlog", "Messages that receivers have not taken yet.", to: &exposition)
    write(revocations, "ringfence_revocations_open", "Single numbers that wait to be published.", to: &exposition)
    if let reviewQueue {
      write(reviewQueue, "ringfence_review_queue_cases", "Cases that wait for a moderator.", to: &exposition)
    }
    exposition.gauge("ringfence_reports_partitions", "Months of reports that are kept.", Double(partitions))
  }

  private func write(_ waiting: Waiting, _ name: String, _ help: String, to exposition: inout Exposition) {
    exposition.gauge(name, help, Double(waiting.count))
    exposition.gauge(
      "\(name)_oldest_time_seconds", "Since when the oldest of them waits, since 1970.",
      waiting.oldest?.timeIntervalSince1970)
  }
}
