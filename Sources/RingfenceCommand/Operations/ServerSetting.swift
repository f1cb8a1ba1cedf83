// SPDX-License-Identifier: Apache-2.0

import Storage

/// A setting of the server, the role or the database that stops or slows statements of Ringfence.
struct ServerSetting {
  let name: String
  /// The values that do no harm; nil for 0 and all values of at least `minimum`.
  var good: [String]?
  /// In milliseconds.
  var minimum = 0
  /// Whether each session sets it itself, so that it matters only behind a pooler in transaction mode.
  var isOfSession = false
  var isBad = false
  let advice: String

  static let all = [
    ServerSetting(
      name: "autovacuum", good: ["on"], isBad: true,
      advice: "Set it to on. Otherwise tables grow without end, and plans are made for empty tables."),
    ServerSetting(
      name: "track_counts", good: ["on"], isBad: true, advice: "Set it to on: autovacuum does not work without it."),
    ServerSetting(
      name: "standard_conforming_strings", good: ["on"], isOfSession: true, isBad: true,
      advice: "Set it to on: statements rely on it."),
    ServerSetting(
      name: "default_transaction_read_only", good: ["off"], isBad: true,
      advice: "Set it to off for the role and the database: no report can be stored."),
    ServerSetting(
      name: "default_transaction_isolation", good: ["read committed"], isOfSession: true,
      advice: "Reset it for the role and the database: statements that run at once would fail and be repeated."),
    ServerSetting(
      name: "jit", good: ["off"], isOfSession: true,
      advice:
        "PostgreSQL compiles large statements each time they run, for seconds. Run ringfence migrate, which turns it "
        + "off for this role, then RECONNECT on the console of PgBouncer."),
    ServerSetting(
      name: "plan_cache_mode", good: ["auto"], isOfSession: true,
      advice: "Reset it for the role and the database: planning a statement takes longer than running it."),
    ServerSetting(
      name: "statement_timeout", minimum: 1_800_000, isOfSession: true,
      advice: "Raise it for this role to 30 minutes or 0: a publication, an import or a backup may need as long."),
    ServerSetting(
      name: "transaction_timeout", minimum: 1_800_000,
      advice: "Raise it for this role to 30 minutes or 0: a publication reads all numbers in one transaction."),
    ServerSetting(
      name: "idle_in_transaction_session_timeout", minimum: 600_000, isOfSession: true,
      advice: "Raise it for this role to 10 minutes or 0: a publication keeps a transaction open while it writes packs."
    ),
    ServerSetting(
      name: "lock_timeout", minimum: 10_000, isOfSession: true,
      advice: "Raise it for this role to 10 seconds or 0: reports about one number wait for each other."),
  ]

  /// - Returns: nil if the setting does no harm, or the server does not have it.
  func finding(_ server: ServerState, isShared: Bool) -> Finding? {
    guard let value = server.settings[name], !value.isEmpty, isShared || !isOfSession else { return nil }
    let isGood = good.map { $0.contains(value) } ?? Int(value).map { $0 == 0 || $0 >= minimum } ?? true
    guard !isGood else { return nil }
    let found = good == nil ? "\(value) ms" : value
    return isBad ? .bad(name, found, advice) : .warning(name, found, advice)
  }
}
