// SPDX-License-Identifier: Apache-2.0

/// The address of the cluster, and its roles and databases.
struct ClusterAddress: Sendable {
  /// The role that the server connects as; it owns the database and may create others, but is not a superuser.
  static let role = "ringfence"
  static let database = "ringfence"
  /// The role that initdb creates; for maintenance.
  static let superuser = "postgres"
  /// The port is only a part of the socket's name.
  static let port = 5432
  /// The longest path of a Unix socket in bytes, without the terminating zero.
  static let longestSocketPath = 107

  let socketFolder: String

  /// A libpq connection string; it includes host and port, so that PGHOST and PGPORT are ignored.
  func dsn(user: String, database: String) -> String {
    "host=\(Self.quoted(socketFolder)) port=\(Self.port) user=\(Self.quoted(user)) dbname=\(Self.quoted(database))"
  }

  /// The connection string for the superuser's tasks and for checking whether the cluster answers.
  var maintenanceDSN: String { dsn(user: Self.superuser, database: "postgres") }

  /// Whether a socket in this folder can be reached: short enough, and no comma, which libpq parses as a list.
  static func isUsable(socketFolder: String) -> Bool {
    "\(socketFolder)/.s.PGSQL.\(port)".utf8.count <= longestSocketPath && !socketFolder.contains(",")
  }

  private static func quoted(_ value: String) -> String {
    if !value.isEmpty, value.allSatisfy({ !$0.isWhitespace && $0 != "'" && $0 != "\\" }) { return value }
    return "'" + value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
  }
}
