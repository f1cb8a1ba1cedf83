import PostgreSQL

/// Has the transaction's other statements use plans that are made once.
///
/// For what asks partitioned tables about one number: PostgreSQL thinks it cheaper to plan such a statement for each number
/// anew, which takes longer than to run it. Not for what asks about stretches of numbers.
struct KeepPlans: PostgresStatement {
  typealias Row = Void

  static let sql = "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)"
}

/// Has the transaction's commit not wait for the disk, nor for standbys: for what may be lost in a crash.
struct CommitSoon: PostgresStatement {
  typealias Row = Void

  static let sql = "SELECT set_config('synchronous_commit', 'off', true)"
}
