// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

extension AccountStore {
  /// Whether the secrets in this database are encrypted with a key. The first key that is asked about becomes the
  /// stored one.
  /// - Parameter fingerprint: 32 bytes that distinguish keys and reveal nothing about them.
  public func isKept(with fingerprint: [UInt8]) async throws -> Bool {
    try await pool.retrying { try await $0.run(SQL.claimAccountKey(fingerprint: fingerprint)).first } == fingerprint
  }

  /// The fingerprint of the key that encrypts the secrets in this database; nil where none is stored.
  public func keyFingerprint() async throws -> [UInt8]? {
    try await pool.run(SQL.readAccountKey()).first
  }
}
