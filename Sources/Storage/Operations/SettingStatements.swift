// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// Makes the transaction's other statements reuse their generic plans.
///
/// For statements that read one number from partitioned tables: PostgreSQL estimates that planning such a statement for
/// each number is cheaper, but planning takes longer than running it. Not for statements about intervals of numbers.
struct KeepPlans: PostgresStatement {
  typealias Row = Void

  static let sql = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)"
}

/// Lets the transaction's commit return before it is on disk or on standbys: for data that may be lost in a crash.
struct CommitSoon: PostgresStatement {
  typealias Row = Void

  static let sql = "SELECT set_config('synchronous_commit', 'off', true)"
}
