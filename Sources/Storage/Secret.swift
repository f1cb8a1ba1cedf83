// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation

/// Secrets of 256 random bits, of which only the hash is stored: with this much entropy, plain SHA-256 is as safe as a
/// slow hash.
enum Secret {
  static func make(prefix: String) -> String {
    var generator = SystemRandomNumberGenerator()
    return prefix + Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  /// A key of an app.
  static func makeAPIKey() -> String { make(prefix: "rf_") }

  static func hash(_ secret: String) -> [UInt8] {
    Array(SHA256.hash(data: Data(secret.utf8)))
  }
}
