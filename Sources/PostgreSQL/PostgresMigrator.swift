#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Migrates a schema with the files of a folder, one transaction for each file, recorded in `schema_migrations`.
///
/// A transaction holds an advisory lock, the script and its bookkeeping, so that concurrent migrators are safe.
public struct PostgresMigrator: Sendable {
  private let folder: String

  /// A migrator for the `.sql` files of a folder.
  public init(folder: String) { self.folder = folder }

  /// A migrator for the `.sql` files of a folder.
  public init(folder: URL) { self.folder = folder.path }

  /// Applies all pending migrations.
  ///
  /// - Returns: The migrations that were applied now, in order.
  /// - Throws: `PostgresMigrationError`, and `PostgresError` when the bookkeeping fails.
  @discardableResult
  public func migrate(on connection: PostgresConnection) async throws -> [PostgresMigration] {
    let files = try MigrationFile.all(in: folder)
    var applied: [PostgresMigration] = []
    while let migration = try await step(files, connection) { applied.append(migration) }
    return applied
  }

  /// The version of the newest file; 0 for none.
  ///
  /// - Throws: `PostgresMigrationError` when the folder cannot be read.
  public func newest() throws -> Int64 { try MigrationFile.all(in: folder).last?.version ?? 0 }

  /// The state of every migration, by version. Changes nothing.
  ///
  /// - Throws: `PostgresMigrationError` when the folder cannot be read, and `PostgresError`.
  public func status(on connection: PostgresConnection) async throws -> [PostgresMigration] {
    let files = try MigrationFile.all(in: folder)
    let exists = try await connection.run(MigrationTable.Exists()).first ?? false
    let applied = exists ? try await connection.run(MigrationTable.Applied()) : []
    let checksums = try await connection.run(MigrationTable.Checksums(scripts: files.map(\.script)))
    return Self.compare(files, checksums, applied)
  }

  /// Applies the next pending migration, or returns nil when there is none.
  private func step(_ files: [MigrationFile], _ connection: PostgresConnection) async throws -> PostgresMigration? {
    try await connection.transaction { connection in
      _ = try await connection.run(MigrationTable.Lock())
      if try await connection.run(MigrationTable.Exists()).first != true {
        _ = try await connection.run(MigrationTable.Create())
      }
      let applied = try await connection.run(MigrationTable.Applied())
      let checksums = try await connection.run(MigrationTable.Checksums(scripts: files.map(\.script)))
      let all = Self.compare(files, checksums, applied)
      try Self.refuse(all, newest: applied.map(\.version).max() ?? 0)
      guard let next = all.first(where: { $0.state == .pending }),
        let file = files.first(where: { $0.version == next.version })
      else { return nil }
      return try await apply(file, checksum: next.checksum, connection)
    }
  }

  private func apply(
    _ file: MigrationFile, checksum: String, _ connection: PostgresConnection
  ) async throws -> PostgresMigration {
    let transaction = try await connection.run(MigrationTable.TransactionID()).first
    let start = ContinuousClock.now
    do {
      try await connection.execute(script: file.script)
    } catch let error as PostgresError where error.sqlState != nil {
      throw PostgresMigrationError.failed(version: file.version, name: file.name, error: error)
    }
    let duration = (ContinuousClock.now - start).milliseconds
    guard try await connection.run(MigrationTable.TransactionID()).first == transaction else {
      throw PostgresMigrationError.endedItsTransaction(version: file.version, name: file.name)
    }
    let record = MigrationTable.Record(
      version: file.version, name: file.name, checksum: checksum, appliedAt: Date(), durationMilliseconds: duration)
    guard let applied = try await connection.run(record).first else { throw PostgresError(.connectionLost) }
    return applied
  }

  private static func compare(
    _ files: [MigrationFile], _ checksums: [String], _ applied: [PostgresMigration]
  ) -> [PostgresMigration] {
    let known = Dictionary(applied.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
    let newest = applied.map(\.version).max() ?? 0
    let present = zip(files, checksums).map { file, checksum in
      let before = known[file.version]
      let state: PostgresMigration.State =
        if let before {
          before.checksum == checksum ? .applied : .changed
        } else {
          file.version < newest ? .outOfOrder : .pending
        }
      return PostgresMigration(
        version: file.version, name: file.name, checksum: checksum, appliedAt: before?.appliedAt,
        durationMilliseconds: before?.durationMilliseconds, state: state)
    }
    let versions = Set(files.map(\.version))
    let missing = applied.filter { !versions.contains($0.version) }.map {
      PostgresMigration(
        version: $0.version, name: $0.name, checksum: $0.checksum, appliedAt: $0.appliedAt,
        durationMilliseconds: $0.durationMilliseconds, state: .missing)
    }
    return (present + missing).sorted { $0.version < $1.version }
  }

  private static func refuse(_ all: [PostgresMigration], newest: Int64) throws {
    for migration in all {
      let (version, name) = (migration.version, migration.name)
      switch migration.state {
      case .applied, .pending: continue
      case .missing: throw PostgresMigrationError.missing(version: version, name: name)
      case .changed: throw PostgresMigrationError.changed(version: version, name: name)
      case .outOfOrder:
        throw PostgresMigrationError.outOfOrder(version: version, name: name, newestApplied: newest)
      }
    }
  }
}
