// SPDX-License-Identifier: Apache-2.0

/// Statistics of the tables that a large import fills.
enum RefreshStatistics {
  /// One command a table: Citus does not analyze several tables in one command.
  static let commands = ["numbers", "number_categories", "number_reporters", "number_sources", "categories"].map {
    "ANALYZE \($0)"
  }
}
