import Foundation
import PostgreSQL

/// Adds an app that sends with a key.
struct CreateApp: PostgresStatement {
  let name: String
  let keyHash: [UInt8]
  let createdAt: Date

  static let sql = """
    INSERT INTO apps (name, key_hash, created_at) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET key_hash = excluded.key_hash
    RETURNING app_id, name
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(keyHash)
    parameters.append(createdAt)
  }

  static func decode(_ row: PostgresRow) throws -> App {
    try App(row)
  }
}

/// Finds the source of an imported list by its name, or adds it.
struct EnsureSource: PostgresStatement {
  let name: String
  let createdAt: Date

  // The update changes nothing; without it a row that is there would not be returned.
  static let sql = """
    INSERT INTO apps (name, created_at) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name
    RETURNING app_id, name
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(name)
    parameters.append(createdAt)
  }

  static func decode(_ row: PostgresRow) throws -> App {
    try App(row)
  }
}

/// Finds the app of a key.
struct FindApp: PostgresStatement {
  let keyHash: [UInt8]

  static let sql = "SELECT app_id, name FROM apps WHERE key_hash = $1 AND revoked_at IS NULL"

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(keyHash)
  }

  static func decode(_ row: PostgresRow) throws -> App {
    try App(row)
  }
}

extension App {
  /// From the columns app_id, name.
  fileprivate init(_ row: PostgresRow) throws {
    self.init(id: try row.decode(0), name: try row.decode(1))
  }
}
