// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite(.database) struct DirectoryStoreTests {
  private var store: DirectoryStore { DirectoryStore(pool: pool) }

  private func entries(_ names: KeyValuePairs<Int64, String>, mentions: Int32 = 1) -> [StoredDirectoryEntry] {
    names.map { StoredDirectoryEntry(number: $0.key, mentions: mentions, name: $0.value) }
  }

  @discardableResult
  private func replace(
    _ source: String, _ entries: [StoredDirectoryEntry], priority: Int32? = nil
  ) async throws -> DirectoryChange {
    let left = Mutex(entries[...])
    return try await store.replace(source: source, priority: priority, at: now) {
      left.withLock { left in
        defer { left = left.dropFirst(2) }
        return DirectoryRows(Array(left.prefix(2)))
      }
    }
  }

  private func all() async throws -> [DirectoryEntry] {
    let found = Mutex<[DirectoryEntry]>([])
    try await pool.withConnection { connection in
      try await connection.transaction(.repeatableRead, readOnly: true) { connection in
        try await DirectoryStore.forEachEntry(at: now, on: connection) { batch in found.withLock { $0 += batch } }
      }
    }
    return found.withLock { $0 }
  }

  private func generations() async throws -> Int {
    try await pool.column(
      "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'directory_entries_g%'")[0]
  }

  @Test func `a new file replaces the old entries`() async throws {
    #expect(
      try await replace("a", entries([1: "one", 2: "two", 3: "three"]))
        == DirectoryChange(entries: 3, replaced: 0, overruled: 0))
    #expect(
      try await replace("a", entries([2: "zwei", 4: "vier"])) == DirectoryChange(entries: 2, replaced: 3, overruled: 0))
    #expect(try await all().map(\.name) == ["zwei", "vier"])
    #expect(try await generations() == 1)
    #expect(try await pool.run(SQL.readDirectoryNames(number: 1)) == [])
    #expect(try await pool.run(SQL.readDirectoryNames(number: 2)).map(\.name) == ["zwei"])
  }

  @Test func `an empty file replaces nothing`() async throws {
    try await replace("a", [])
    try await replace("a", entries([1: "one"]))
    await #expect(throws: StorageError.emptyDirectory(source: "a", kept: 1)) { try await replace("a", []) }
    #expect(try await all().map(\.name) == ["one"])
    #expect(try await generations() == 1)
  }

  @Test func `a failed import keeps the old entries and nothing else`() async throws {
    try await replace("a", entries([1: "one"]))
    await #expect(throws: CancellationError.self) {
      let count = Mutex(0)
      let many = entries([5: "five", 6: "six"])
      _ = try await store.replace(source: "a", at: now) {
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        guard isFirst else { throw CancellationError() }
        return DirectoryRows(many)
      }
    }
    // A repeated number violates the key.
    await #expect(throws: PostgresError.self) { try await replace("a", entries([7: "x", 7: "y"])) }
    #expect(try await all().map(\.name) == ["one"])
    #expect(try await generations() == 1)
  }

  @Test func `precedence, then mentions, then age decide the name of a number`() async throws {
    try await replace("first", entries([1: "first", 2: "first", 3: "first"]))
    try await replace("often", entries([2: "often", 4: "often"], mentions: 3))
    let change = try await replace("best", entries([2: "best", 3: "best", 5: "best"]), priority: 1)
    #expect(change.overruled == 0)
    #expect(try await replace("often", entries([2: "often", 4: "often"], mentions: 3)).overruled == 1)
    let named = try await all()
    #expect(named.map(\.number) == [1, 2, 3, 4, 5])
    #expect(named.map(\.name) == ["first", "best", "best", "often", "best"])
    #expect(try await pool.run(SQL.readDirectoryNames(number: 2)).map(\.source) == ["best", "often", "first"])
  }

  @Test func `calls are weighted at the requested time`() async throws {
    try await replace("a", entries([1: "one", 2: "two", 3: "three"]))
    try await pool.execute(
      """
      INSERT INTO number_identifications (number, heat, named, unknown, last_day)
      VALUES (2, \(Decay.heat.storedSum(of: 8, at: now)), 8, 0, '2026-11-01'), (9, 1, 1, 0, '2026-11-01')
      """)
    let calls = try await all().map(\.identifications)
    #expect(calls[0] == 0 && abs(calls[1] - 8) < 1e-9 && calls[2] == 0)
  }

  @Test func `a reader of the old entries keeps them until it is done`() async throws {
    try await replace("a", entries([1: "one"]))
    let seen = try await pool.withConnection { reader in
      try await reader.transaction(.repeatableRead, readOnly: true) { reader in
        _ = try await reader.query("SELECT 1")
        try await replace("a", entries([2: "two"]))
        let found = Mutex<[String]>([])
        try await DirectoryStore.forEachEntry(at: now, on: reader) { batch in found.withLock { $0 += batch.map(\.name) }
        }
        return found.withLock { $0 }
      }
    }
    #expect(seen == ["one"])
    #expect(try await generations() == 2)
    try await replace("a", entries([3: "three"]))
    #expect(try await generations() == 1)
  }

  @Test func `parallel imports of one source run one after another`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<4 {
        group.addTask { try await replace("a", entries([Int64(round + 1): "round \(round)"])) }
      }
      try await group.waitForAll()
    }
    #expect(try await all().count == 1)
    #expect(try await pool.run(SQL.readDirectorySources()).map(\.entries) == [1])
  }
}
