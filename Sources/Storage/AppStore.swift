import Crypto
public import Foundation
public import PostgreSQL

/// Apps and their keys.
public struct AppStore: Sendable {
  private let pool: PostgresPool

  /// - Parameter pool: where apps are kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Adds an app, or gives one of this name a new key in place of the old.
  /// - Returns: the app and its key; the key cannot be had again, only its hash is stored.
  public func create(name: String, at time: Date) async throws -> (app: App, key: String) {
    let key = Secret.make(prefix: "rf_")
    let rows = try await pool.run(CreateApp(name: name, keyHash: Secret.hash(key), createdAt: time))
    return (rows[0], key)
  }

  /// The app that an imported list is counted under; added when it is new. It has no key.
  public func source(named name: String, at time: Date) async throws -> App {
    try await pool.run(EnsureSource(name: name, createdAt: time))[0]
  }

  /// The app of this key; nil when there is none or it is revoked.
  public func app(key: String) async throws -> App? {
    try await pool.run(FindApp(keyHash: Secret.hash(key))).first
  }
}

/// Secrets of 256 random bits, of which only the hash is stored: with that much chance in them, a plain SHA-256 is
/// as good as a slow hash.
enum Secret {
  static func make(prefix: String) -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return prefix
      + Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  static func hash(_ secret: String) -> [UInt8] {
    Array(SHA256.hash(data: Data(secret.utf8)))
  }
}
