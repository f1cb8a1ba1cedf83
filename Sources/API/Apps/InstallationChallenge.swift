// SPDX-License-Identifier: Apache-2.0

import Attestation
import Crypto
import Curation
import Foundation
import Intake

/// Challenges for phones, which carry their own proof: version, app, end, random bytes, and a keyed hash of these. Nothing is
/// stored until one is used.
struct InstallationChallenge: Sendable {
  /// Seconds in which a phone must answer.
  static let lifetime: TimeInterval = 600
  private static let version: UInt8 = 1
  private static let length = 1 + 4 + 8 + 16 + 16

  private let key: SymmetricKey
  private let tokens: SymmetricKey

  init(pseudonymizer: Pseudonymizer) {
    key = SymmetricKey(data: pseudonymizer.secret(for: "attestation challenge"))
    tokens = SymmetricKey(data: pseudonymizer.secret(for: "installation token"))
  }

  func make(appID: Int32, at time: Date) -> (bytes: [UInt8], expiresAt: Date) {
    let end = (time.timeIntervalSince1970 + Self.lifetime).rounded(.up)
    var bytes = [Self.version]
    withUnsafeBytes(of: appID.bigEndian) { bytes += $0 }
    withUnsafeBytes(of: Int64(end).bigEndian) { bytes += $0 }
    bytes += (0..<16).map { _ in UInt8.random(in: 0...255) }
    return (bytes + proof(of: bytes), Date(timeIntervalSince1970: end))
  }

  /// Checks that a challenge was made here for an app, and has not ended.
  func check(_ bytes: [UInt8], appID: Int32, at time: Date) throws(AttestationRefusal) {
    guard bytes.count == Self.length else { throw .challengeInvalid }
    let isOurs = ConstantTime.areEqual(proof(of: bytes.dropLast(16)), bytes.suffix(16))
    let app = bytes[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard isOurs, bytes[0] == Self.version, app == UInt32(bitPattern: appID) else { throw .challengeInvalid }
    let end = bytes[5..<13].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard time.timeIntervalSince1970 < Double(end) else { throw .challengeExpired }
  }

  /// The secret of the token that a challenge leads to: 32 bytes.
  func secret(of bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: tokens))
  }

  /// The message that a phone signs to renew its token.
  static func renewal(of bytes: [UInt8]) -> [UInt8] { Array("ringfence renewal v1".utf8) + [0] + bytes }

  private func proof(of bytes: some DataProtocol) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(16))
  }
}
