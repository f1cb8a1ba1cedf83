// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Number of protected patterns and numbers.
public struct ProtectionCounts: Sendable, Equatable {
  /// Patterns.
  public var patterns = 0
  /// Single numbers.
  public var numbers = 0
}

/// Protected numbers above `after`, ascending.
struct ReadProtectedPage: PostgresStatement {
  let after: Int64
  let limit: Int

  static let sql = """
    SELECT number, reason, added_by, added_at FROM protected_numbers WHERE number > $1 ORDER BY number LIMIT $2::bigint
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(after)
    parameters.append(Int64(limit))
  }

  static func decode(_ row: PostgresRow) throws -> (number: Int64, protection: Protection) {
    try ReadProtectedNumbers.decode(row)
  }
}

extension ProtectionStore {
  /// All patterns, in the order of their text.
  public func patterns() async throws -> [Protection] {
    try await pool.run(ReadProtectedPatterns())
  }

  /// Protected numbers above `after`, ascending.
  public func numbers(after: Int64, limit: Int) async throws -> [(number: Int64, protection: Protection)] {
    try await pool.run(ReadProtectedPage(after: after, limit: limit))
  }

  /// Number of protected patterns and numbers.
  public func counts() async throws -> ProtectionCounts {
    let counts = try await pool.run(CountProtected()).first
    return ProtectionCounts(patterns: counts?.patterns ?? 0, numbers: counts?.numbers ?? 0)
  }
}
