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

extension SQL {
  /// Protected numbers above `after`, ascending.
  static func readProtectedPage(after: Int64, limit: Int) -> Statement<(number: Int64, protection: Protection)> {
    Statement(
      """
      SELECT number, reason, added_by, added_at FROM protected_numbers WHERE number > $1 ORDER BY number LIMIT $2::bigint
      """,
      after, Int64(limit), decode: decodeReadProtectedNumbers)
  }
}

extension ProtectionStore {
  /// All patterns, in the order of their text.
  public func patterns() async throws -> [Protection] {
    try await pool.run(SQL.readProtectedPatterns())
  }

  /// Protected numbers above `after`, ascending.
  public func numbers(after: Int64, limit: Int) async throws -> [(number: Int64, protection: Protection)] {
    try await pool.run(SQL.readProtectedPage(after: after, limit: limit))
  }

  /// Number of protected patterns and numbers.
  public func counts() async throws -> ProtectionCounts {
    let counts = try await pool.run(SQL.countProtected()).first
    return ProtectionCounts(patterns: counts?.patterns ?? 0, numbers: counts?.numbers ?? 0)
  }
}
