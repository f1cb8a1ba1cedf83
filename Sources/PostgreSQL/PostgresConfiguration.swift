// SPDX-License-Identifier: Apache-2.0

/// Location of the server, and options of connections to it.
///
/// The connection string is libpq's: a URI or keywords, several hosts, `target_session_attrs`, the `PG…` environment.
public struct PostgresConfiguration: Sendable {
  /// The connection string; it may contain a password, so it is never printed.
  let dsn: String
  /// Shown in `pg_stat_activity`; a name in the connection string is ignored.
  public var applicationName = "ringfence"
  /// For each host, in whole seconds, at least 2; the connection string's own `connect_timeout` wins.
  public var connectTimeout: Duration = .seconds(5)
  /// How long sent data may stay unacknowledged before the connection counts as lost; the connection string's own
  /// `tcp_user_timeout` wins.
  public var tcpUserTimeout: Duration = .seconds(10)
  /// Whether statements are prepared; false behind PgBouncer in transaction mode.
  public var usesPreparedStatements = true

  /// Takes libpq's connection string; it is parsed when a connection is made.
  public init(_ dsn: String) { self.dsn = dsn }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Host, database and user, without the password.
  public var description: String {
    let shown = ["host", "hostaddr", "port", "dbname", "user", "service", "target_session_attrs"]
    guard let given = try? givenKeywords() else { return "PostgresConfiguration(malformed)" }
    let parts = shown.compactMap { key in given[key].map { "\(key)=\($0)" } }
    return "PostgresConfiguration(\(parts.joined(separator: " ")))"
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Hides the contents from dumps.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
