// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Sources that are downloaded at intervals, and their entries.
public struct SourceStore: Sendable {
  let pool: PostgresPool

  /// The most entries of a page.
  public static let page = 10_000

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Adds a source, due at once. A removed one of the list is replaced.
  /// - Parameter list: the app of the list; see ``AppStore/source(named:at:)``.
  /// - Returns: false where the source is there already, or was removed and still has entries.
  public func add(
    _ settings: Source.Settings, as list: App, by actor: Actor, at time: Date
  ) async throws -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let options = String(decoding: try encoder.encode(settings.options), as: UTF8.self)
    return try await pool.change(at: time) { connection in
      let statement = SQL.insertSource(id: list.id, settings: settings, options: options, time: time)
      guard try await !connection.run(statement).isEmpty else { return .none(false) }
      let event = actor.did(
        .sourceAdd, to: settings.name,
        after: [
          "url": settings.url, "format": settings.format.rawValue,
          "every": Source.Settings.text(ofInterval: settings.every),
          "ceiling": settings.ceiling.rawValue,
        ])
      return .made(event, true)
    }
  }

  /// All sources, by name.
  public func list() async throws -> [Source] {
    try await pool.run(SQL.readSources(name: nil)).compactMap { $0 }
  }

  public func source(named name: String) async throws -> Source? {
    try await pool.run(SQL.readSources(name: name)).first ?? nil
  }

  /// The sources that are due, those first that have waited longest.
  /// - Parameter areSubscriptions: whether they are publications of other servers; nil for all sources.
  public func due(at time: Date, limit: Int, areSubscriptions: Bool? = nil) async throws -> [Source] {
    try await pool.run(
      """
      SELECT \(Source.columns) FROM source_feeds
      WHERE removed_at IS NULL AND (next_at <= $1 OR \(GatingTime.nextRefresh.isWrong(at: "$1"))) AND ($3::boolean IS NULL OR (format = 'ringfence') = $3::boolean)
      ORDER BY next_at, app_id LIMIT $2::bigint
      """,
      time, Int64(limit), areSubscriptions
    ) { try Source($0) }.compactMap(\.self)
  }

  /// Makes a source due.
  /// - Returns: false where there is none of the name.
  public func hasten(_ name: String, by actor: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      guard try await !connection.run(SQL.hastenSource(name: name, time: time)).isEmpty else { return .none(false) }
      return .made(actor.did(.sourceRefresh, to: name), true)
    }
  }

  /// Makes a source due and read its file again, so that its entries get the present weight.
  public func reweigh(_ name: String, at time: Date) async throws {
    try await pool.transaction { connection in
      guard let id = try await connection.run(SQL.hastenSource(name: name, time: time)).first else { return }
      _ = try await connection.run(SQL.readAgain(ids: [id]))
    }
  }

  /// Records that a source is refreshed by hand.
  /// - Parameter isForced: whether the list may change any number of entries.
  public func noteRefresh(of name: String, isForced: Bool, by actor: Actor, at time: Date) async throws {
    try await pool.change(at: time) { _ in .made(actor.did(isForced ? .sourceForce : .sourceRefresh, to: name)) }
  }

  /// Changes the ceiling of a source. It applies from the next publication and evaluation of its numbers on.
  /// - Returns: false where there is none of the name.
  public func change(
    _ name: String, to ceiling: SourceCeiling, by actor: Actor, because reason: String? = nil, at time: Date
  ) async throws -> Bool {
    try await pool.change(at: time) { connection in
      // In the order in which other changes lock them.
      let subscriptions = try await connection.run(SQL.lockSubscriptions()).map(\.id)
      let former = try await connection.run(SQL.readSources(name: name)).first ?? nil
      guard let former, let id = try await connection.run(SQL.changeCeiling(name: name, ceiling: ceiling)).first else {
        return .none(false)
      }
      // Which entries count depends on the ceilings of all subscriptions.
      if subscriptions.contains(id) { _ = try await connection.run(SQL.readAgain(ids: subscriptions)) }
      let event = actor.did(
        .sourceCeiling, to: name, before: ["ceiling": former.settings.ceiling.rawValue],
        after: ["ceiling": ceiling.rawValue], because: reason)
      return .made(event, true)
    }
  }

  /// Stores the state after a successful download, and the event of a share of rejected rows that has doubled.
  /// - Parameter next: when to download again.
  /// - Throws: ``SourceFailure`` where a newer publication was accepted meanwhile, or the source was removed.
  public func succeed(_ source: Source, with state: Source.State, next: Date) async throws {
    let noted = try await pool.transaction { connection in
      try await source.record(
        SQL.recordSourceSuccess(id: source.id, addedAt: source.addedAt, state: state, next: next),
        state.rejected, at: state.refreshedAt ?? next, on: connection)
    }
    guard noted.isEmpty else { return }
    try await readAgain(source)
    throw SourceFailure.superseded
  }

  /// Stores why an attempt failed. The state after the last success stays, except for the rejected rows.
  /// - Parameters:
  ///   - rejected: the rejected rows of a file that was refused because of them; nil for another failure.
  ///   - next: when to try again; nil where that stays.
  public func fail(
    _ source: Source, because failure: SourceFailure, rejected: RejectedRows? = nil, at time: Date, next: Date?
  ) async throws {
    // Not repeated, because it counts.
    _ = try await pool.transaction(retry: .never) { connection in
      try await source.record(
        SQL.recordSourceFailure(
          id: source.id, addedAt: source.addedAt, failure: failure, rejected: rejected, time: time, next: next),
        rejected, at: time, on: connection)
    }
  }

  /// Marks a source whose entries are withdrawn as removed. Its ceiling stays, because complaints of its files stay.
  public func remove(_ source: Source, by actor: Actor, at time: Date) async throws {
    _ = try await remove(source, hasEntries: false, by: actor, at: time)
  }

  /// Marks a source as removed whose entries a server withdraws later; see ``removed()``.
  /// - Returns: false where there is none of the name.
  public func remove(_ name: String, by actor: Actor, at time: Date) async throws -> Bool {
    guard let source = try await source(named: name) else { return false }
    return try await remove(source, hasEntries: true, by: actor, at: time)
  }

  private func remove(_ source: Source, hasEntries: Bool, by actor: Actor, at time: Date) async throws -> Bool {
    try await pool.change(at: time) { connection in
      if source.settings.format == .ringfence {
        // Evidence of its server counts again where another server passes it on.
        let all = try await connection.run(SQL.lockSubscriptions())
        _ = try await connection.run(SQL.readAgain(ids: all.map(\.id)))
      }
      let statement = SQL.removeSource(id: source.id, time: time, hasEntries: hasEntries)
      guard try await !connection.run(statement).isEmpty else { return .none(false) }
      return .made(actor.did(.sourceRemove, to: source.name), true)
    }
  }

  /// The ids of removed sources whose entries are still to be withdrawn.
  public func removed() async throws -> [Int32] {
    try await pool.run(
      "SELECT app_id FROM source_feeds WHERE removed_at IS NOT NULL AND entries > 0 ORDER BY app_id"
    ) { try $0.decode(0) }
  }

  /// Stores that the entries of a removed source are withdrawn.
  public func finishRemoval(of id: Int32) async throws { _ = try await pool.run(SQL.finishRemoval(id: id)) }

  /// At most ``page`` entries of a source, in ascending order of numbers.
  /// - Parameter number: the number before the first one; 0 for the start.
  public func entries(of appID: Int32, after number: Int64) async throws -> [SourceEntry] {
    try await pool.run(SQL.readSourceEntries(appID: appID, number: number, limit: Self.page))
  }

  /// The same of a connection's snapshot.
  public static func entries(
    of appID: Int32, after number: Int64, limit: Int, on connection: PostgresConnection
  ) async throws -> [SourceEntry] {
    try await connection.run(SQL.readSourceEntries(appID: appID, number: number, limit: limit))
  }

  public func entryCount(of appID: Int32) async throws -> Int {
    try await pool.run("SELECT count(*) FROM source_entries WHERE app_id = $1", appID) {
      Int(try $0.decode(0, as: Int64.self))
    }.first ?? 0
  }

  /// Whether a list has complaints that count, or reports of reporters. Reads the sums of all lists if there is none.
  public func hasReports(_ appID: Int32) async throws -> Bool {
    let ofReporters = try await pool.run(
      "SELECT app_id FROM reports WHERE app_id = $1 AND reporter IS NOT NULL AND withdrawn_at IS NULL LIMIT 1", appID
    ) { try $0.decode(0, as: Int32.self) }
    guard ofReporters.isEmpty else { return true }
    return try await !pool.run(
      "SELECT app_id FROM number_sources WHERE app_id = $1 AND complaints > 0 LIMIT 1", appID
    ) { try $0.decode(0, as: Int32.self) }.isEmpty
  }
}

extension Source {
  /// Stores the outcome of a refresh of this source, and the event where the share of rejected rows has doubled.
  /// - Parameters:
  ///   - outcome: the statement, without a row where the source was removed meanwhile.
  ///   - rejected: the rejected rows of the file; nil where no file was read.
  fileprivate func record(
    _ outcome: Statement<Int32>, _ rejected: RejectedRows?, at time: Date, on connection: PostgresConnection
  ) async throws -> [Int32] {
    let noted = try await connection.run(outcome)
    let former = state.rejected
    guard !noted.isEmpty, let rejected, rejected.hasDoubled(since: former) else { return noted }
    let id = UUID(naming: "rejected rows of source \(id) at \(time.timeIntervalSince1970)")
    let event = Event(
      .sourceRowsRejected, id: id, at: time,
      [
        "source": .text(name), "rejected": .count(rejected.count), "rows": .count(rejected.rows),
        "former_rejected": .count(former.count), "former_rows": .count(former.rows),
      ])
    _ = try await connection.run(SQL.recordEvent(event, at: time))
    return noted
  }
}
