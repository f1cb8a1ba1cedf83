// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

extension SQL {
  /// Stores the fingerprint of the key that encrypts secrets, unless one is stored; returns the stored one.
  static func claimAccountKey(fingerprint: [UInt8]) -> Statement<[UInt8]> {
    // The update changes nothing and makes the statement return the row.
    Statement(
      """
      INSERT INTO account_key AS k (only_row, fingerprint) VALUES (true, $1)
      ON CONFLICT (only_row) DO UPDATE SET fingerprint = k.fingerprint RETURNING fingerprint
      """,
      fingerprint
    ) { try $0.decode(0) }
  }

  /// Reads the fingerprint of the key that encrypts secrets.
  static func readAccountKey() -> Statement<[UInt8]> {
    Statement(
      "SELECT fingerprint FROM account_key"
    ) { try $0.decode(0) }
  }

  /// Deletes the key's fingerprint once no secret is encrypted with it.
  static func forgetAccountKey() -> Statement<Void> {
    Statement(
      """
      DELETE FROM account_key WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE totp_secret IS NOT NULL)
      """)
  }
}
