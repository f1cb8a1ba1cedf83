// SPDX-License-Identifier: Apache-2.0

import CLibPQ

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Location of the server, and options of connections to it.
///
/// The connection string is libpq's: a URI or keywords, several hosts, `target_session_attrs`, the `PG…` environment.
public struct PostgresConfiguration: Sendable {
  /// The connection string; it may contain a password, so it is never printed.
  let dsn: String
  /// Shown in `pg_stat_activity`; a name in the connection string is ignored.
  public var applicationName = "ringfence"
  /// For each host, in whole seconds, at least 2; the connection string's own `connect_timeout` wins.
  var connectTimeout: Duration = .seconds(5)
  /// How long sent data may stay unacknowledged before the connection counts as lost; the connection string's own
  /// `tcp_user_timeout` wins.
  var tcpUserTimeout: Duration = .seconds(10)
  /// Another node of the same cluster, in place of the servers in the connection string; nil for those.
  public var node: PostgresNode?
  /// Whether statements are prepared; false behind PgBouncer in transaction mode.
  public var usesPreparedStatements = true

  /// The string is parsed when a connection is made.
  public init(_ dsn: String) { self.dsn = dsn }
}

/// The address of a node of a cluster, for clients and for other nodes.
public struct PostgresNode: Hashable, Sendable {
  /// A host name, an address, or the folder of a socket.
  public let host: String
  public let port: Int

  public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Host, database and user, without the password.
  public var description: String {
    let shown = ["host", "hostaddr", "port", "dbname", "user", "service", "target_session_attrs"]
    guard let given = try? givenKeywords() else { return "PostgresConfiguration(malformed)" }
    let parts = shown.compactMap { key in given[key].map { "\(key)=\($0)" } }
    return "PostgresConfiguration(\(parts.joined(separator: " ")))"
  }

  public var debugDescription: String { description }

  /// Hides the contents from dumps.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PostgresConfiguration {
  /// The keywords of the connection string.
  ///
  /// - Throws: `PostgresError` of kind `invalidConfiguration`; libpq's message may contain a password and is dropped.
  func givenKeywords() throws -> [String: String] {
    var given: [String: String] = [:]
    try forEachGivenOption { option, value in given[String(cString: option.keyword)] = value }
    // A password with an unescaped / or @ is parsed into these, and libpq quotes them in messages.
    let isPort = given["port", default: ""].utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ",") }
    let hosts = given["host", default: ""].split(separator: ",")
    guard isPort, !hosts.contains(where: { $0.first != "/" && $0.dropFirst().contains("@") }) else {
      throw PostgresError(.invalidConfiguration)
    }
    return given
  }

  private func forEachGivenOption(_ body: (PQconninfoOption, String) -> Void) throws {
    var message: UnsafeMutablePointer<CChar>?
    guard !dsn.utf8.contains(0), let options = PQconninfoParse(dsn, &message) else {
      if let message { PQfreemem(message) }
      throw PostgresError(.invalidConfiguration)
    }
    defer { PQconninfoFree(options) }
    var option = options
    while option.pointee.keyword != nil {
      if let value = option.pointee.val { body(option.pointee, String(cString: value)) }
      option += 1
    }
  }

  /// The connection string as libpq's environment variables, for PostgreSQL's own programs: unlike an argument, a
  /// password in them is not visible in the process list. Keywords without a variable are left out.
  ///
  /// - Throws: `PostgresError` of kind `invalidConfiguration`.
  public func environment() throws -> [String: String] {
    var variables: [String: String] = [:]
    try forEachGivenOption { option, value in
      if let name = option.envvar { variables[String(cString: name)] = value }
    }
    return variables
  }

  /// The keywords for libpq, from the connection string; the others have defaults.
  func keywords() throws -> [String: String] {
    let defaults = [
      "connect_timeout": "\(max(2, connectTimeout.components.seconds))",
      "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
      "tcp_user_timeout": "\(tcpUserTimeout.milliseconds)",
    ]
    var keywords = try givenKeywords().merging(defaults) { given, _ in given }
    if let node {
      (keywords["host"], keywords["port"], keywords["hostaddr"]) = (node.host, "\(node.port)", nil)
    }
    keywords["client_encoding"] = "UTF8"
    // The connection string cannot override it: versions of the program recognize each other by it before they change
    // the schema.
    keywords["application_name"] = applicationName
    return keywords
  }

  /// Opens a connection. Blocks.
  func openConnection() throws -> OpaquePointer {
    let keywords = try keywords().sorted { $0.key < $1.key }
    let names = keywords.map { strdup($0.key) } + [nil]
    let values = keywords.map { strdup($0.value) } + [nil]
    defer { for pointer in names + values { free(pointer) } }
    let connection = PQconnectdbParams(names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 0)
    guard let connection else { throw PostgresError(.connectionFailed) }
    guard PQstatus(connection) == CONNECTION_OK else {
      let message = PQerrorMessage(connection).map { String(cString: $0) }
      // A server that asks for a password, or that ends the attempt with a message of its own, was reached.
      let isReached =
        PQconnectionUsedPassword(connection) != 0 || PQconnectionNeedsPassword(connection) != 0
        || message?.contains("FATAL: ") == true
      PQfinish(connection)
      throw PostgresError(isReached ? .connectionRefused : .connectionFailed, clientMessage: message)
    }
    return connection
  }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
