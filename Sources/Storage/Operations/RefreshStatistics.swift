// SPDX-License-Identifier: Apache-2.0

/// Statistics of the tables that a large import fills.
enum RefreshStatistics {
  static let script = "ANALYZE numbers, number_categories, number_reporters, number_sources, categories"
}
