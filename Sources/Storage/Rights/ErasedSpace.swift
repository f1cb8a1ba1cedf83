// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PostgreSQL

/// The space of erased rows in PostgreSQL's files: their bytes stay there until other rows are written over them.
extension RetentionStore {
  /// Lets other rows use the space of rows that were erased since a time.
  /// - Returns: whether there were any.
  @discardableResult
  public func vacuumErased(since time: Date) async throws -> Bool {
    guard try await pool.run(SQL.findErasures(since: time)).first == true else { return false }
    for command in SQL.vacuumErased(rewrites: false) {
      try await pool.withConnection { try await $0.execute(script: command) }
    }
    return true
  }
}

extension ErasureStore {
  /// Writes the tables with data of reporters again, without the bytes of erased rows. Each table is locked meanwhile, and
  /// needs its size as free space.
  public func rewriteTables() async throws {
    for command in SQL.vacuumErased(rewrites: true) {
      try await pool.withConnection { try await $0.execute(script: command) }
    }
  }
}

extension SQL {
  /// The commands for the tables with data of reporters, one a table.
  fileprivate static func vacuumErased(rewrites: Bool) -> [String] {
    ReporterTable.allCases.map { "VACUUM \(rewrites ? "(FULL) " : "")\($0.rawValue)" }
  }
}
