import PostgreSQL

extension AccountStore {
  /// Whether the secrets in this database are kept with a key. The first one that asks is it.
  /// - Parameter fingerprint: 32 bytes that tell keys apart and say nothing of them.
  public func isKept(with fingerprint: [UInt8]) async throws -> Bool {
    try await pool.retrying { try await $0.run(ClaimAccountKey(fingerprint: fingerprint)).first } == fingerprint
  }

  /// The fingerprint of the key that the secrets in this database are kept with; nil where no server has asked yet.
  public func keyFingerprint() async throws -> [UInt8]? {
    try await pool.run(ReadAccountKey()).first
  }
}
