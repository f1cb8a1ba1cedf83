// SPDX-License-Identifier: Apache-2.0

import Accounts
import Crypto
import Curation
import Foundation
import HTTPServer
import Storage
import Synchronization

/// Protects the appeal form against floods without an account or a third party. The server signs a stamp when it shows
/// the form; each stamp is valid for one form.
///
/// A browser with scripts computes a proof of work: a nonce so that the SHA-256 of stamp and nonce begins with enough
/// zero bits, about a second for one form and a day for 100,000. Without scripts a person must wait a minimum time.
/// Nothing is stored until a form is accepted; then the transaction also marks the stamp as used for all servers.
struct AppealStamps: Sendable {
  enum Verdict: Equatable {
    /// The stamp is valid. `id` has 16 bytes, `expiresAt` is the end of its validity, `isWorked` means proof of work.
    case good(id: [UInt8], expiresAt: Date, isWorked: Bool)
    /// A form without proof of work may be sent after so many seconds.
    case tooSoon(seconds: Int)
    case expired
    /// The signature or the proof of work is wrong.
    case invalid
  }

  /// The validity of a form in seconds: 2 hours.
  static let lifetime: TimeInterval = 7_200

  static let usualDifficulty = 17
  static let usualDelay = 15

  private let key: SymmetricKey
  /// Required leading zero bits, 0 to 32; each bit doubles the work.
  let difficulty: Int
  /// Minimum age in seconds of a form without proof of work.
  let delay: Int

  /// - Parameter key: 32 bytes that all servers share.
  init(key: [UInt8], difficulty: Int, delay: Int) {
    self.key = SymmetricKey(data: key)
    self.difficulty = min(max(0, difficulty), 32)
    self.delay = max(0, delay)
  }

  /// Creates a stamp: `1.SECONDS.DIFFICULTY.ID.CODE`.
  func make(at time: Date) -> String {
    var generator = SystemRandomNumberGenerator()
    let id = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let body = "1.\(Int(time.timeIntervalSince1970)).\(difficulty).\(Hexadecimal.text(id))"
    return "\(body).\(code(of: body))"
  }

  /// - Parameter nonce: the browser's proof of work; nil or empty without one.
  func check(_ stamp: String, nonce: String?, at time: Date) -> Verdict {
    let parts = stamp.split(separator: ".", omittingEmptySubsequences: false)
    guard stamp.utf8.count <= 160, parts.count == 5, parts[0] == "1",
      ConstantTime.areEqual(parts[4].utf8, code(of: parts[..<4].joined(separator: ".")).utf8),
      let seconds = Int(parts[1]), let difficulty = Int(parts[2]), let id = Hexadecimal.bytes(parts[3]), id.count == 16
    else { return .invalid }
    let age = time.timeIntervalSince1970 - Double(seconds)
    guard age < Self.lifetime else { return .expired }
    // Clocks of other servers may be up to 60 seconds ahead.
    guard age > -60 else { return .invalid }
    let expiresAt = Date(timeIntervalSince1970: Double(seconds) + Self.lifetime)
    if let nonce, !nonce.isEmpty {
      guard nonce.utf8.count <= 20, Self.zeroBits(SHA256.hash(data: Data("\(stamp)\(nonce)".utf8))) >= difficulty else {
        return .invalid
      }
      return .good(id: id, expiresAt: expiresAt, isWorked: true)
    }
    guard age >= Double(delay) else { return .tooSoon(seconds: max(1, Int((Double(delay) - age).rounded(.up)))) }
    return .good(id: id, expiresAt: expiresAt, isWorked: false)
  }

  func ticket(for id: [UInt8]) -> AppealTicket? { AppealTicket(stamp: id, key: key) }

  private func code(of body: String) -> String {
    Hexadecimal.text(Array(HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: key)).prefix(16))
  }

  /// The number of leading zero bits of a hash.
  static func zeroBits(_ hash: some Sequence<UInt8>) -> Int {
    var bits = 0
    for byte in hash {
      guard byte == 0 else { return bits + byte.leadingZeroBitCount }
      bits += 8
    }
    return bits
  }
}

/// Limits the appeals of each network per day. Appeals without proof of work have a sixth of the limit.
final class AppealRateLimit: Sendable {
  private struct Counts {
    var worked: DailyCounts
    var waited: DailyCounts
  }

  private let counts: Mutex<Counts?>
  private let clock: LimitClock

  /// - Parameter limits: if networks have no limit, appeals have none.
  init(limits: RequestLimits, clock: LimitClock) {
    self.clock = clock
    counts = Mutex(
      limits.network == nil
        ? nil
        : Counts(
          worked: DailyCounts(limit: limits.appealsADay, capacity: 16_384),
          waited: DailyCounts(limit: max(1, limits.appealsADay / 6), capacity: 16_384)))
  }

  /// Counts an appeal.
  /// - Returns: whether the network may send it.
  func take(_ network: ClientNetwork, isWorked: Bool) -> Bool {
    let now = clock.wall()
    return counts.withLock { counts in
      (isWorked ? counts?.worked.take(network, at: now) : counts?.waited.take(network, at: now)) ?? true
    }
  }
}
