// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Testing

/// A folder of migrations that is removed with this object.
private final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "migrations-" + UUID().uuidString

  init(_ files: [String: String]) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file; an expand migration, unless the text declares another kind.
  func write(_ name: String, _ text: String) throws {
    let text = name.hasSuffix(".sql") && !text.hasPrefix("-- ") ? "-- expand\n" + text : text
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }
  var migrator: PostgresMigrator { PostgresMigrator(folder: path) }
}

private let first = "20260101000000_first.sql"
private let second = "20260102000000_second.sql"

@Suite struct MigratorTests {
  private static let two = [
    first: "CREATE TABLE one (id bigint); INSERT INTO one VALUES (1);",
    second: "-- expand\n-- ü\nALTER TABLE one ADD COLUMN name text;",
    "README.md": "not a migration",
  ]

  @Test func `migrations are applied once and in order`() async throws {
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_once") { connection in
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.pending, .pending])
      let applied = try await folder.migrator.migrate(on: connection)
      #expect(applied.map(\.name) == ["first", "second"])
      #expect(applied.map(\.version) == [20_260_101_000_000, 20_260_102_000_000])
      #expect(try await folder.migrator.migrate(on: connection).isEmpty)
      let status = try await folder.migrator.status(on: connection)
      #expect(status == applied)
      #expect(status.allSatisfy { $0.appliedAt != nil && $0.durationMilliseconds != nil && $0.checksum.count == 64 })
      #expect(try await connection.query("SELECT name FROM one").count == 1)
    }
  }

  @Test func `a changed migration file is refused`() async throws {
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_changed") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.write(first, "SELECT 1")
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .changed(20_260_101_000_000, "first") = error else { throw try #require(error) }
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.changed, .applied])
    }
  }

  @Test func `a missing migration file is refused`() async throws {
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_missing") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.remove(first)
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .missing(20_260_101_000_000, "first") = error else { throw try #require(error) }
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.missing, .applied])
    }
  }

  /// A program runs on a schema that newer programs have expanded, and not on one that they have contracted.
  @Test func `a newer expand migration is accepted and a newer contract migration refused`() async throws {
    let old = try Folder(Self.two)
    let new = try Folder(Self.two)
    try new.write("20260103000000_third.sql", "ALTER TABLE one ADD COLUMN note text")
    try await withDatabase("migrate_newer") { connection in
      try await old.migrator.migrate(on: connection)
      #expect(try await new.migrator.migrate(on: connection).map(\.kind) == [.expand])
      #expect(try await old.migrator.migrate(on: connection).isEmpty)
      #expect(try await old.migrator.status(on: connection).map(\.state) == [.applied, .applied, .newer])

      try new.write("20260104000000_fourth.sql", "-- contract\nALTER TABLE one DROP COLUMN name")
      #expect(try await new.migrator.migrate(on: connection).isEmpty)
      #expect(try await new.migrator.status(on: connection).last?.state == .pending)
      #expect(try await old.migrator.migrate(on: connection).isEmpty)
      let applied = try await new.migrator.migrate(on: connection) { #expect($0.name == "fourth") }
      #expect(applied.map(\.kind) == [.contract])
      #expect(
        try await old.migrator.status(on: connection).map(\.state) == [.applied, .applied, .newer, .incompatible])
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await old.migrator.migrate(on: connection)
      }
      guard case .incompatible(20_260_104_000_000, "fourth", 20_260_102_000_000) = error else {
        throw try #require(error)
      }
      #expect("\(try #require(error))".contains("knows the schema up to 20260102000000"))
    }
  }

  @Test func `a refused contract migration leaves nothing`() async throws {
    struct Refused: Error {}
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_refused") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.write("20260103000000_third.sql", "-- contract\nALTER TABLE one DROP COLUMN name")
      await #expect(throws: Refused.self) {
        try await folder.migrator.migrate(on: connection) { _ in throw Refused() }
      }
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.applied, .applied, .pending])
      _ = try await connection.query("SELECT name FROM one")
    }
  }

  /// A program that reads the schema's state while a contract migration is applied waits for it.
  @Test func `a program that starts during a contract migration waits for it`() async throws {
    let folder = try Folder(Self.two)
    let old = try Folder(Self.two)
    try await withPool("migrate_start", connections: 3) { pool in
      try await pool.withConnection { _ = try await folder.migrator.migrate(on: $0) }
      try folder.write("20260103000000_third.sql", "-- contract\nALTER TABLE one DROP COLUMN name")
      let (migrator, (checks, continuation)) = (folder.migrator, AsyncStream.makeStream(of: Int.self))
      try await pool.withConnection { connection in
        let started = Task {
          for await _ in checks { break }
          return try await pool.withConnection { try await old.migrator.status(on: $0).map(\.state) }
        }
        try await migrator.migrate(on: connection) { _ in
          continuation.yield(1)
          try await wait {
            let waiting: PostgresQuery = """
              SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'schema_migrations'::regclass
              """
            return try await pool.withConnection { try await !$0.query(waiting).isEmpty }
          }
        }
        #expect(try await started.value == [.applied, .applied, .incompatible])
      }
    }
  }

  @Test func `expand migrations run before contract ones and a new database gets all`() async throws {
    let folder = try Folder([first: "CREATE TABLE one (id bigint, name text)"])
    let contract = (name: second, script: "-- contract\nALTER TABLE one DROP COLUMN name")
    let expand = (name: "20260103000000_third.sql", script: "ALTER TABLE one ADD COLUMN note text")
    try await withDatabase("migrate_overtake") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.write(contract.name, contract.script)
      try folder.write(expand.name, expand.script)
      #expect(try await folder.migrator.migrate(on: connection).map(\.name) == ["third"])
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.applied, .pending, .applied])
      #expect(try await folder.migrator.migrate(on: connection) { _ in }.map(\.name) == ["second"])
    }
    try await withDatabase("migrate_new") { connection in
      let applied = try await folder.migrator.migrate(on: connection)
      #expect(applied.map(\.name) == ["first", "second", "third"])
    }
  }

  /// While a transaction keeps a table, a migration waits and tries again; other statements on the table go on.
  @Test func `a migration that waits for a lock lets other statements pass`() async throws {
    let folder = try Folder(Self.two)
    try await withPool("migrate_locked", connections: 4) { pool in
      try await pool.withConnection { _ = try await folder.migrator.migrate(on: $0) }
      try folder.write("20260103000000_third.sql", "ALTER TABLE one ADD COLUMN note text")
      let (path, inserts) = (folder.path, 50)
      try await pool.withConnection { holder in
        let migration = try await holder.transaction { holder in
          _ = try await holder.query("SELECT id FROM one")
          let error = await #expect(throws: PostgresMigrationError.self) {
            try await pool.withConnection {
              _ = try await PostgresMigrator(folder: path, lockPatience: .seconds(1)).migrate(on: $0)
            }
          }
          guard case .locked(20_260_103_000_000, "third", _) = error else { throw try #require(error) }
          let migration = Task {
            try await pool.withConnection { try await PostgresMigrator(folder: path).migrate(on: $0).map(\.name) }
          }
          for _ in 0..<inserts {
            try await pool.withConnection { _ = try await $0.execute("INSERT INTO one VALUES (2)") }
          }
          return migration
        }
        #expect(try await migration.value == ["third"])
        #expect(try await holder.query("SELECT note FROM one").count == inserts + 1)
      }
    }
  }

  @Test func `an index is built outside a transaction and an interrupted one is rebuilt`() async throws {
    let folder = try Folder([first: "CREATE TABLE one (id bigint); INSERT INTO one VALUES (1), (1);"])
    try await withDatabase("migrate_concurrently") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.write(
        second, "-- expand, concurrently\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_by_id ON one (id)")
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .failed(20_260_102_000_000, "second", let cause) = error, cause.sqlState == "23505" else {
        throw try #require(error)
      }
      let invalid: PostgresQuery = "SELECT 1 FROM pg_index WHERE NOT indisvalid"
      #expect(try await connection.query(invalid).count == 1)
      _ = try await connection.execute("DELETE FROM one")
      #expect(try await folder.migrator.migrate(on: connection).map(\.name) == ["second"])
      #expect(try await connection.query(invalid).isEmpty)
      #expect(try await connection.query("SELECT 1 FROM pg_class WHERE relname = 'one_by_id'").count == 1)
    }
  }

  /// A migrator that waited in a statement would keep the other one's CREATE INDEX CONCURRENTLY from its end.
  @Test func `parallel migrators build an index once`() async throws {
    let folder = try Folder([first: "CREATE TABLE one (id bigint)"])
    try await withDatabase("migrate_concurrently_race") { _ = try await folder.migrator.migrate(on: $0) }
    try folder.write(second, "-- expand, concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS one_by_id ON one (id)")
    let migrator = folder.migrator
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await withDatabase("migrate_concurrently_race") { try await migrator.migrate(on: $0).count }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(counts == 1)
  }

  @Test func `a migration older than the newest applied one is refused`() async throws {
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_order") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.write("20260101120000_between.sql", "SELECT 1")
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .outOfOrder(20_260_101_120_000, "between", 20_260_102_000_000) = error else {
        throw try #require(error)
      }
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.applied, .outOfOrder, .applied])
    }
  }

  @Test func `a failed migration keeps the earlier ones`() async throws {
    let folder = try Folder(Self.two)
    try folder.write("20260103000000_third.sql", "CREATE TABLE half (id bigint); SELECT secret_column FROM one;")
    try await withDatabase("migrate_failed") { connection in
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .failed(20_260_103_000_000, "third", let cause) = error else { throw try #require(error) }
      #expect(cause.sqlState == "42703")
      #expect(!"\(try #require(error))".contains("secret_column"))
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.applied, .applied, .pending])
      #expect(try await connection.query("SELECT 1 FROM pg_class WHERE relname = 'half'").isEmpty)
      try folder.write("20260103000000_third.sql", "CREATE TABLE half (id bigint)")
      #expect(try await folder.migrator.migrate(on: connection).count == 1)
    }
  }

  @Test func `a script that ends its transaction is refused`() async throws {
    let folder = try Folder([first: "CREATE TABLE kept (id bigint); COMMIT; BEGIN;"])
    try await withDatabase("migrate_commit") { connection in
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .endedItsTransaction = error else { throw try #require(error) }
    }
  }

  @Test func `invalid migration file names are refused`() async throws {
    try await withDatabase("migrate_names") { connection in
      let misnamed = try Folder(["1_first.sql": "SELECT 1"])
      var error = await #expect(throws: PostgresMigrationError.self) {
        try await misnamed.migrator.migrate(on: connection)
      }
      guard case .misnamed("1_first.sql") = error else { throw try #require(error) }
      let duplicate = try Folder([first: "SELECT 1", "20260101000000_other.sql": "SELECT 1"])
      error = await #expect(throws: PostgresMigrationError.self) {
        try await duplicate.migrator.migrate(on: connection)
      }
      guard case .duplicate(20_260_101_000_000) = error else { throw try #require(error) }
      let undeclared = try Folder([first: "-- no kind\nSELECT 1"])
      error = await #expect(throws: PostgresMigrationError.self) {
        try await undeclared.migrator.migrate(on: connection)
      }
      guard case .undeclared(first) = error else { throw try #require(error) }
      error = await #expect(throws: PostgresMigrationError.self) {
        try await PostgresMigrator(folder: "/nonexistent").migrate(on: connection)
      }
      guard case .unreadable = error else { throw try #require(error) }
    }
  }

  @Test func `parallel migrators apply each migration once`() async throws {
    var files: [String: String] = [:]
    for day in 10..<30 { files["202601\(day)000000_day.sql"] = "CREATE TABLE day_\(day) (id bigint)" }
    let folder = try Folder(files)
    let migrator = folder.migrator
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask { try await withDatabase("migrate_race") { try await migrator.migrate(on: $0).count } }
      }
      return try await group.reduce(0, +)
    }
    #expect(counts == 20)
  }
}
