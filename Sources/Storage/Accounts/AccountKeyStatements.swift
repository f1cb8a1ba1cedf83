// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// Stores the fingerprint of the key that encrypts secrets, unless one is stored; returns the stored one.
struct ClaimAccountKey: PostgresStatement {
  let fingerprint: [UInt8]

  // The update changes nothing and makes the statement return the row.
  static let sql = """
    INSERT INTO account_key AS k (only_row, fingerprint) VALUES (true, $1)
    ON CONFLICT (only_row) DO UPDATE SET fingerprint = k.fingerprint RETURNING fingerprint
    """

  func bind(into parameters: inout PostgresParameters) { parameters.append(fingerprint) }

  static func decode(_ row: PostgresRow) throws -> [UInt8] { try row.decode(0) }
}

/// Reads the fingerprint of the key that encrypts secrets.
struct ReadAccountKey: PostgresStatement {
  static let sql = "SELECT fingerprint FROM account_key"
  static func decode(_ row: PostgresRow) throws -> [UInt8] { try row.decode(0) }
}

/// Deletes the key's fingerprint once no secret is encrypted with it.
struct ForgetAccountKey: PostgresStatement {
  typealias Row = Void

  static let sql = """
    DELETE FROM account_key WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE totp_secret IS NOT NULL)
    """
}
