// SPDX-License-Identifier: Apache-2.0

import CLibPQ
import Foundation

/// One blocking connection to the cluster, for preparation before the server connects.
struct ServerConnection: ~Copyable {
  private let connection: OpaquePointer

  /// - Throws: ``EmbeddedPostgresError/databaseUnavailable(reason:)``.
  init(dsn: String) throws(EmbeddedPostgresError) {
    guard let connection = PQconnectdb(dsn + " connect_timeout=10 options='' application_name=ringfence_cluster") else {
      throw .databaseUnavailable(reason: "out of memory")
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      let reason = String(cString: PQerrorMessage(connection))
      PQfinish(connection)
      throw .databaseUnavailable(reason: reason.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    self.connection = connection
  }

  deinit { PQfinish(connection) }

  /// Runs a statement and returns the number of rows.
  /// - Throws: ``EmbeddedPostgresError/databaseUnavailable(reason:)``.
  @discardableResult
  func run(_ statement: StaticString) throws(EmbeddedPostgresError) -> Int {
    let result = PQexec(connection, "\(statement)")
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
      let reason = String(cString: PQerrorMessage(connection))
      throw .databaseUnavailable(reason: reason.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    return Int(PQntuples(result))
  }

  /// Runs a query and returns the first value of its first row; nil without a row, or for NULL.
  /// - Throws: ``EmbeddedPostgresError/databaseUnavailable(reason:)``.
  func value(_ query: StaticString) throws(EmbeddedPostgresError) -> String? {
    let result = PQexec(connection, "\(query)")
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else {
      let reason = String(cString: PQerrorMessage(connection))
      throw .databaseUnavailable(reason: reason.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    guard PQntuples(result) > 0, PQgetisnull(result, 0, 0) == 0 else { return nil }
    return String(cString: PQgetvalue(result, 0, 0))
  }

  /// Creates the server's role and database unless they exist.
  func prepareDatabase() throws(EmbeddedPostgresError) {
    if try run("SELECT FROM pg_roles WHERE rolname = 'ringfence'") == 0 {
      try run("CREATE ROLE ringfence LOGIN CREATEDB")
      try run("GRANT pg_monitor, pg_signal_backend, pg_checkpoint TO ringfence")
    }
    if try run("SELECT FROM pg_database WHERE datname = 'ringfence'") == 0 {
      try run("CREATE DATABASE ringfence OWNER ringfence")
    }
  }

  /// The answer of the cluster to a connection attempt.
  enum Answer { case yes, notYet, no }

  static func ask(dsn: String) -> Answer {
    switch PQping(dsn + " connect_timeout=5") {
    case PQPING_OK: .yes
    case PQPING_REJECT: .notYet
    default: .no
    }
  }
}
