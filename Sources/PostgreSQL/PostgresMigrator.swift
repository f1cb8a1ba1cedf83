// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Logging

/// Migrates a schema with the files of a folder, one transaction for each file, recorded in `schema_migrations`.
///
/// A transaction holds an advisory lock, the script and its bookkeeping, so that concurrent migrators are safe.
public struct PostgresMigrator: Sendable {
  /// Runs before a contract migration, in its transaction: throws where the migration must not be applied. Programs
  /// that start wait until the transaction ends.
  public typealias ContractCheck = @Sendable (PostgresMigration) async throws -> Void

  private let folder: String
  /// How long a migration is tried again whose tables are locked.
  private let lockPatience: Duration

  public init(folder: String, lockPatience: Duration = .seconds(120)) {
    self.folder = folder
    self.lockPatience = lockPatience
  }

  /// Applies all pending migrations.
  ///
  /// - Returns: The migrations that were applied now, in order.
  /// - Throws: `PostgresMigrationError`, and `PostgresError` when the bookkeeping fails.
  @discardableResult
  public func migrate(
    on connection: PostgresConnection, contractCheck: ContractCheck? = nil
  ) async throws -> [PostgresMigration] {
    let files = try MigrationFile.all(in: folder)
    let states = try await status(of: files, on: connection)
    try Self.refuse(states, files)
    let isNew = states.allSatisfy { $0.state == .pending }
    let order = Order(isNew: isNew, contractCheck: contractCheck)
    // Without anything to do it neither takes the lock nor waits for a migrator that has it.
    guard order.next(states) != nil else { return [] }
    var applied: [PostgresMigration] = []
    while let migration = try await nextStep(files, order, connection) { applied.append(migration) }
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
    try await status(of: try MigrationFile.all(in: folder), on: connection)
  }

  private func status(of files: [MigrationFile], on connection: PostgresConnection) async throws -> [PostgresMigration]
  {
    let exists = try await connection.run(MigrationTable.exists).first ?? false
    let applied = exists ? try await connection.run(MigrationTable.readApplied) : []
    let checksums = try await connection.run(MigrationTable.checksums(of: files.map(\.script)))
    return Self.compare(files, checksums, applied)
  }

  /// Which migration is next.
  private struct Order: Sendable {
    let isNew: Bool
    let contractCheck: ContractCheck?

    func next(_ all: [PostgresMigration]) -> PostgresMigration? {
      let pending = all.filter { $0.state == .pending }
      if isNew { return pending.first }
      return pending.first { $0.kind == .expand } ?? (contractCheck == nil ? nil : pending.first)
    }
  }

  /// The result of one attempt at the next migration.
  private enum Step: Sendable {
    case applied(PostgresMigration)
    /// Another migrator is at work.
    case busy
    case nothingPending
  }

  /// Applies the next one, or returns nil when there is none. Tries again while another migrator works, and for
  /// `lockPatience` where tables are locked.
  private func nextStep(
    _ files: [MigrationFile], _ order: Order, _ connection: PostgresConnection
  ) async throws -> PostgresMigration? {
    let end = ContinuousClock.now + lockPatience
    var pause = Duration.milliseconds(250)
    while true {
      do {
        switch try await step(files, order, connection) {
        case .applied(let migration): return migration
        case .nothingPending: return nil
        case .busy: try await Task.sleep(for: .milliseconds(100))
        }
      } catch PostgresMigrationError.failed(let version, let name, let error)
        where ["55P03", "40P01"].contains(error.sqlState)
      {
        guard ContinuousClock.now < end else {
          throw PostgresMigrationError.locked(version: version, name: name, after: lockPatience)
        }
        connection.logger.warning(
          "A migration waits for the locks of its tables", metadata: ["migration": "\(version)_\(name)"])
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(5))
      }
    }
  }

  private func step(
    _ files: [MigrationFile], _ order: Order, _ connection: PostgresConnection
  ) async throws -> Step {
    try await connection.transaction { connection in
      guard try await connection.run(MigrationTable.tryLock).first == true else { return .busy }
      if try await connection.run(MigrationTable.exists).first != true {
        _ = try await connection.run(MigrationTable.create)
      }
      let all = try await status(of: files, on: connection)
      try Self.refuse(all, files)
      guard let next = order.next(all), let file = files.first(where: { $0.version == next.version }) else {
        return .nothingPending
      }
      try await connection.execute(script: MigrationTable.limitLockWaits)
      if next.kind == .contract {
        try await run(file) { try await connection.execute(script: MigrationTable.lockTable) }
        try await order.contractCheck?(next)
      }
      return .applied(try await apply(file, checksum: next.checksum, connection))
    }
  }

  private func apply(
    _ file: MigrationFile, checksum: String, _ connection: PostgresConnection
  ) async throws -> PostgresMigration {
    let start = ContinuousClock.now
    if file.isConcurrent {
      try await run(file) { try await applyConcurrently(file, beside: connection) }
    } else {
      let transaction = try await connection.run(MigrationTable.transactionID).first
      try await run(file) { try await connection.execute(script: file.script) }
      guard try await connection.run(MigrationTable.transactionID).first == transaction else {
        throw PostgresMigrationError.endedItsTransaction(version: file.version, name: file.name)
      }
    }
    let record = MigrationTable.record(
      file, checksum: checksum, appliedAt: Date(), milliseconds: (ContinuousClock.now - start).milliseconds)
    guard let applied = try await connection.run(record).first else { throw PostgresError(.connectionLost) }
    return applied
  }

  /// Runs a script outside a transaction, while `connection` holds the lock of migrators.
  private func applyConcurrently(_ file: MigrationFile, beside connection: PostgresConnection) async throws {
    let worker = try await PostgresConnection.connect(connection.configuration, logger: connection.logger)
    do {
      let path = try await connection.run(MigrationTable.readSearchPath).first ?? ""
      // The portal of a statement keeps its snapshot until the next simple command, and CREATE INDEX CONCURRENTLY waits
      // for older snapshots.
      try await connection.execute(script: MigrationTable.limitLockWaits)
      _ = try await worker.run(MigrationTable.setSearchPath(path))
      for command in try await worker.run(MigrationTable.invalidIndexes(script: file.script)) {
        try await worker.execute(script: command)
      }
      try await worker.execute(script: file.script)
    } catch {
      await worker.close()
      throw error
    }
    await worker.close()
  }

  /// Names the migration in what the server refuses.
  private func run(_ file: MigrationFile, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as PostgresError where error.sqlState != nil {
      throw PostgresMigrationError.failed(version: file.version, name: file.name, error: error)
    }
  }

  private static func compare(
    _ files: [MigrationFile], _ checksums: [String], _ applied: [PostgresMigration]
  ) -> [PostgresMigration] {
    let known = Dictionary(applied.map { ($0.version, $0) }, uniquingKeysWith: { first, _ in first })
    let newest = applied.map(\.version).max() ?? 0
    let newestContract = applied.filter { $0.kind == .contract }.map(\.version).max() ?? 0
    let present = zip(files, checksums).map { file, checksum in
      let before = known[file.version]
      let state: PostgresMigration.State =
        if let before {
          before.checksum == checksum ? .applied : .changed
        } else {
          // Expand migrations overtake contract ones that wait.
          file.version < (file.kind == .contract ? newestContract : newest) ? .outOfOrder : .pending
        }
      return PostgresMigration(
        version: file.version, name: file.name, kind: file.kind, checksum: checksum, appliedAt: before?.appliedAt,
        durationMilliseconds: before?.durationMilliseconds, state: state)
    }
    let versions = Set(files.map(\.version))
    let newestFile = files.last?.version ?? 0
    let unknown = applied.filter { !versions.contains($0.version) }.map {
      let state: PostgresMigration.State =
        $0.version < newestFile ? .missing : $0.kind == .contract ? .incompatible : .newer
      return PostgresMigration(
        version: $0.version, name: $0.name, kind: $0.kind, checksum: $0.checksum, appliedAt: $0.appliedAt,
        durationMilliseconds: $0.durationMilliseconds, state: state)
    }
    return (present + unknown).sorted { $0.version < $1.version }
  }

  private static func refuse(_ all: [PostgresMigration], _ files: [MigrationFile]) throws {
    for migration in all {
      let (version, name) = (migration.version, migration.name)
      switch migration.state {
      case .applied, .pending, .newer: continue
      case .missing: throw PostgresMigrationError.missing(version: version, name: name)
      case .changed: throw PostgresMigrationError.changed(version: version, name: name)
      case .incompatible:
        throw PostgresMigrationError.incompatible(version: version, name: name, known: files.last?.version ?? 0)
      case .outOfOrder:
        let applied = all.filter { $0.appliedAt != nil }.map(\.version).max() ?? 0
        throw PostgresMigrationError.outOfOrder(version: version, name: name, newestApplied: applied)
      }
    }
  }
}
