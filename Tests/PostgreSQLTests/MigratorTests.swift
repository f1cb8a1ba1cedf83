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

  func write(_ name: String, _ text: String) throws {
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
    second: "-- ü\nALTER TABLE one ADD COLUMN name text;",
    "README.md": "not a migration",
  ]

  @Test func appliesOnceAndInOrder() async throws {
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

  @Test func aChangedFileIsRefused() async throws {
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

  @Test func aMissingFileIsRefused() async throws {
    let folder = try Folder(Self.two)
    try await withDatabase("migrate_missing") { connection in
      try await folder.migrator.migrate(on: connection)
      try folder.remove(second)
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .missing(20_260_102_000_000, "second") = error else { throw try #require(error) }
      #expect(try await folder.migrator.status(on: connection).map(\.state) == [.applied, .missing])
    }
  }

  @Test func aFileOlderThanTheNewestIsRefused() async throws {
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

  @Test func aFailureKeepsWhatWasBeforeIt() async throws {
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

  @Test func aScriptMustNotEndItsTransaction() async throws {
    let folder = try Folder([first: "CREATE TABLE kept (id bigint); COMMIT; BEGIN;"])
    try await withDatabase("migrate_commit") { connection in
      let error = await #expect(throws: PostgresMigrationError.self) {
        try await folder.migrator.migrate(on: connection)
      }
      guard case .endedItsTransaction = error else { throw try #require(error) }
    }
  }

  @Test func namesAreChecked() async throws {
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
      error = await #expect(throws: PostgresMigrationError.self) {
        try await PostgresMigrator(folder: "/nonexistent").migrate(on: connection)
      }
      guard case .unreadable = error else { throw try #require(error) }
    }
  }

  @Test func twoAtOnceApplyEachOnce() async throws {
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
