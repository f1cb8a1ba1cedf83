// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Sources that are downloaded at intervals, and their entries.
public struct FeedStore: Sendable {
  private let pool: PostgresPool

  /// The most entries of a page.
  public static let page = 10_000

  /// - Parameter pool: where sources are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Adds a source, due at once. A removed one of the list is replaced.
  /// - Parameters:
  ///   - list: the app of the list; see ``AppStore/source(named:at:)``.
  ///   - audit: the audit event.
  /// - Returns: false where the source is there already.
  public func add(
    _ settings: SourceFeed.Settings, as list: App, at time: Date, audit: AuditEvent
  ) async throws -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let options = String(decoding: try encoder.encode(settings.options), as: UTF8.self)
    return try await pool.transaction { connection in
      let statement = InsertFeed(id: list.id, settings: settings, options: options, time: time)
      guard try await !connection.run(statement).isEmpty else {
        // This call itself, whose commit was not acknowledged.
        let there = try await connection.run(ReadFeeds(name: settings.name)).first ?? nil
        return there?.settings == settings && there.map { abs($0.addedAt.timeIntervalSince(time)) < 0.000_001 } == true
      }
      _ = try await connection.run(AppendAuditEvent(audit, at: time))
      return true
    }
  }

  /// All sources, by name.
  public func list() async throws -> [SourceFeed] {
    try await pool.run(ReadFeeds(name: nil)).compactMap { $0 }
  }

  /// The source of a name; nil where there is none.
  public func feed(named name: String) async throws -> SourceFeed? {
    try await pool.run(ReadFeeds(name: name)).first ?? nil
  }

  /// The sources that are due, those first that have waited longest.
  /// - Parameter limit: the most sources.
  public func due(at time: Date, limit: Int) async throws -> [SourceFeed] {
    try await pool.run(ReadDueFeeds(time: time, limit: limit)).compactMap { $0 }
  }

  /// Makes a source due.
  /// - Returns: false where there is none of the name.
  public func hasten(_ name: String, at time: Date, audit: AuditEvent? = nil) async throws -> Bool {
    try await pool.transaction { connection in
      guard try await !connection.run(HastenFeed(name: name, time: time)).isEmpty else { return false }
      if let audit { _ = try await connection.run(AppendAuditEvent(audit, at: time)) }
      return true
    }
  }

  /// Changes the ceiling of a source. It applies from the next publication and evaluation of its numbers on.
  /// - Returns: false where there is none of the name.
  public func change(_ name: String, to ceiling: SourceCeiling, at time: Date, audit: AuditEvent) async throws -> Bool {
    try await pool.transaction { connection in
      guard try await !connection.run(ChangeCeiling(name: name, ceiling: ceiling)).isEmpty else { return false }
      _ = try await connection.run(AppendAuditEvent(audit, at: time))
      return true
    }
  }

  /// Stores the state after a successful download.
  /// - Parameter next: when to download again.
  public func succeed(_ feed: SourceFeed, with state: SourceFeed.State, next: Date) async throws {
    _ = try await pool.retrying { try await $0.run(NoteFeedSuccess(id: feed.id, state: state, next: next)) }
  }

  /// Stores why an attempt failed. The state after the last success stays.
  /// - Parameter next: when to try again.
  public func fail(_ feed: SourceFeed, because failure: FeedFailure, at time: Date, next: Date) async throws {
    _ = try await pool.run(NoteFeedFailure(id: feed.id, failure: failure, time: time, next: next))
  }

  /// Marks a source whose entries are withdrawn as removed. Its ceiling stays, because complaints of its files stay.
  public func remove(_ feed: SourceFeed, at time: Date, audit: AuditEvent) async throws {
    try await pool.transaction { connection in
      _ = try await connection.run(RemoveFeed(id: feed.id, time: time))
      _ = try await connection.run(AppendAuditEvent(audit, at: time))
    }
  }

  /// At most ``page`` entries of a source, in ascending order of numbers.
  /// - Parameter number: the number before the first one; 0 for the start.
  public func entries(of appID: Int32, after number: Int64) async throws -> [SourceEntry] {
    try await pool.run(ReadSourceEntries(appID: appID, number: number, limit: Self.page))
  }

  /// The number of a source's entries.
  public func entryCount(of appID: Int32) async throws -> Int {
    Int(try await pool.run(CountSourceEntries(appID: appID)).first ?? 0)
  }

  /// Stores entries in place of those of the same numbers. Safe to repeat.
  public func store(_ entries: [SourceEntry], of appID: Int32) async throws {
    guard !entries.isEmpty else { return }
    _ = try await pool.retrying { try await $0.run(StoreSourceEntries(appID: appID, entries: entries)) }
  }

  /// Deletes the entries of these numbers. Safe to repeat.
  public func forget(_ numbers: [Int64], of appID: Int32) async throws {
    guard !numbers.isEmpty else { return }
    _ = try await pool.retrying { try await $0.run(DeleteSourceEntries(appID: appID, numbers: numbers)) }
  }
}
