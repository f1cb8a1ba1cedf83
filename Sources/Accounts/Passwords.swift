// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Crypto
import CryptoExtras
import Curation
import Dispatch
import Foundation

/// The rules for passwords (NIST SP 800-63B: length counts, not kinds of characters).
public enum PasswordRules {
  /// The allowed length in characters.
  public static let length = 10...200

  public enum Problem: String, Sendable, CaseIterable {
    case short
    case long
    /// Fewer than five different characters.
    case plain
    /// It contains the account's name.
    case name
    /// It consists of up to ``CommonPasswords/maxPieces`` pieces that everybody uses.
    case common
  }

  /// - Parameter name: the account's name.
  public static func problem(with password: String, name: String, common: CommonPasswords) -> Problem? {
    if password.count < length.lowerBound { return .short }
    if password.count > length.upperBound { return .long }
    if Set(password.lowercased()).count < 5 { return .plain }
    if name.count > 2, password.localizedCaseInsensitiveContains(name) { return .name }
    if common.contains(password, name: name) { return .common }
    return nil
  }
}

/// Hashes passwords outside the cooperative pool, with limited concurrency: each takes 32 MiB for about 100 ms, and a
/// flood of sign-ins must not exhaust the memory.
///
/// Passwords from known browsers are checked before all others and have a queue of their own, so that strangers
/// do not delay people who signed in with the same browser before.
public actor PasswordHasher {
  /// The password was not checked, because too many are waiting. It can be sent again in a moment.
  public struct Busy: Error {}

  private let cost: PasswordHash.Cost
  private let slots: Int
  private let queueLimit: Int
  private let queue = DispatchQueue(label: "passwords", attributes: .concurrent)
  private var running = 0
  private(set) var derivations = 0
  /// From known browsers.
  private var first: [CheckedContinuation<Void, Never>] = []
  private var others: [CheckedContinuation<Void, Never>] = []
  /// The hash that a password is compared with where there is no account.
  private let nobody: String

  /// - Parameters:
  ///   - slots: the maximum count of concurrent hashes.
  ///   - queueLimit: the maximum count of waiting passwords in each queue; more throw ``Busy``.
  public init(slots: Int = 2, queueLimit: Int = 32) {
    self.init(slots: slots, queueLimit: queueLimit, cost: .standard)
  }

  init(slots: Int, queueLimit: Int, cost: PasswordHash.Cost) {
    (self.slots, self.queueLimit, self.cost) = (slots, queueLimit, cost)
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    nobody = "scrypt$\(cost.log2N)$\(cost.r)$\(cost.p)$AAAAAAAAAAAAAAAAAAAAAA==$\(zeros)"
  }

  var waiting: Int { first.count + others.count }

  /// The stored form of a password that a signed-in account sets.
  /// - Throws: ``Busy``.
  public func hash(_ password: String) async throws -> String {
    let cost = cost
    return try await work(isKnown: true) { try PasswordHash(password, cost: cost).text }
  }

  /// Whether a password matches the stored one. Without a stored one it takes as long and returns false.
  /// - Parameter isKnown: whether the browser has signed in to the account before.
  /// - Throws: ``Busy``.
  public nonisolated func verify(_ password: String, _ stored: String?, isKnown: Bool) async throws -> Bool {
    try await inTurn(isKnown: isKnown) { try await compare(password, stored) }
  }

  nonisolated func work<T: Sendable>(isKnown: Bool, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await inTurn(isKnown: isKnown) { try await run(body) }
  }

  /// Runs a check of a password when its turn comes.
  /// - Parameter isKnown: whether the browser has signed in to the account before.
  /// - Throws: ``Busy``, and the errors of `body`.
  nonisolated func inTurn<T: Sendable>(isKnown: Bool, _ body: () async throws -> T) async throws -> T {
    try await begin(isKnown: isKnown)
    do {
      let result = try await body()
      await end()
      return result
    } catch {
      await end()
      throw error
    }
  }

  /// Compares a password as ``verify(_:_:isKnown:)`` does, in a turn that has begun.
  nonisolated func compare(_ password: String, _ stored: String?) async throws -> Bool {
    let text = stored ?? nobody
    let isRight = try await run { try PasswordHash(text)?.matches(password) ?? false }
    return isRight && stored != nil
  }

  private func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    derivations += 1
    return try await queue.run(body)
  }

  private func begin(isKnown: Bool) async throws {
    guard running == slots else { return running += 1 }
    guard (isKnown ? first : others).count < queueLimit else { throw Busy() }
    // A finished task passes its slot on.
    await withCheckedContinuation { isKnown ? first.append($0) : others.append($0) }
  }

  private func end() {
    if !first.isEmpty {
      first.removeFirst().resume()
    } else if !others.isEmpty {
      others.removeFirst().resume()
    } else {
      running -= 1
    }
  }
}

/// A password as it is stored: `scrypt$15$8$1$SALT$HASH`, salt and hash in base64. The parameters are included, so that
/// they can be strengthened later.
struct PasswordHash: Equatable, Sendable {
  /// scrypt's cost: N = 2^log2N, block size r, parallelism p (RFC 7914). Memory is 128·N·r bytes.
  struct Cost: Equatable, Sendable {
    let log2N: Int
    let r: Int
    let p: Int

    /// 32 MiB.
    static let standard = Cost(log2N: 15, r: 8, p: 1)
  }

  let cost: Cost
  let salt: [UInt8]
  let hash: [UInt8]

  var text: String {
    "scrypt$\(cost.log2N)$\(cost.r)$\(cost.p)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
  }

  /// Hashes a new password with a new salt. Takes about 100 ms and ``Cost``'s memory.
  init(_ password: String, cost: Cost = .standard) throws {
    self.cost = cost
    salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
    hash = try Self.derive(Self.bytes(password), salt: salt, cost: cost, count: 32)
  }

  /// - Parameter text: the format of ``text``; nil for anything else, and for a cost above 256 MiB.
  init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "scrypt", let log2N = Int(parts[1]), let r = Int(parts[2]),
      let p = Int(parts[3]), (1...18).contains(log2N), (1...32).contains(r), (1...16).contains(p),
      128 * r << log2N <= 1 << 28, let salt = Data(base64Encoded: String(parts[4])),
      let hash = Data(base64Encoded: String(parts[5])), !salt.isEmpty, hash.count == 32
    else { return nil }
    cost = Cost(log2N: log2N, r: r, p: p)
    self.salt = Array(salt)
    self.hash = Array(hash)
  }

  /// Whether a password matches. A wrong one takes as long as the right one.
  func matches(_ password: String) throws -> Bool {
    let other = try Self.derive(Self.bytes(password), salt: salt, cost: cost, count: hash.count)
    return ConstantTime.areEqual(other, hash)
  }

  static func derive(_ password: [UInt8], salt: [UInt8], cost: Cost, count: Int) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: password, salt: salt, outputByteCount: count, rounds: 1 << cost.log2N, blockSize: cost.r,
      parallelism: cost.p)
    return key.withUnsafeBytes { Array($0) }
  }

  /// The bytes of a password, equal for all keyboards (RFC 8265 asks for NFC; NFKC accepts more variants).
  private static func bytes(_ password: String) -> [UInt8] {
    Array(password.precomposedStringWithCompatibilityMapping.utf8)
  }
}
