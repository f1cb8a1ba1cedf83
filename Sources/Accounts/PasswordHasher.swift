// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Dispatch

/// Hashes passwords outside the cooperative pool, with limited concurrency: each takes 32 MiB for about 100 ms, and a
/// flood of sign-ins must not exhaust the memory.
public actor PasswordHasher {
  /// The password was not checked, because too many are waiting. It can be sent again in a moment.
  public struct Busy: Error {}

  private let cost: PasswordHash.Cost
  private let slots: Int
  private let queueLimit: Int
  private let queue = DispatchQueue(label: "passwords", attributes: .concurrent)
  private var running = 0
  /// Number of keys derived from passwords.
  private(set) var derivations = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The hash that a password is compared with where there is no account.
  private let nobody: String

  /// - Parameters:
  ///   - slots: the most concurrent hashes.
  ///   - queueLimit: the most waiting passwords; more throw ``Busy``.
  public init(slots: Int = 2, queueLimit: Int = 32) {
    self.init(slots: slots, queueLimit: queueLimit, cost: .standard)
  }

  init(slots: Int, queueLimit: Int, cost: PasswordHash.Cost) {
    (self.slots, self.queueLimit, self.cost) = (slots, queueLimit, cost)
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    nobody = "scrypt$\(cost.log2N)$\(cost.r)$\(cost.p)$AAAAAAAAAAAAAAAAAAAAAA==$\(zeros)"
  }

  /// The stored form of a password.
  /// - Throws: ``Busy``.
  public func hash(_ password: String) async throws -> String {
    let cost = cost
    return try await work { try PasswordHash(password, cost: cost).text }
  }

  /// Whether a password matches the stored one. Without a stored one it takes as long and returns false.
  /// - Throws: ``Busy``.
  public func verify(_ password: String, _ stored: String?) async throws -> Bool {
    let text = stored ?? nobody
    let isRight = try await work { try PasswordHash(text)?.matches(password) ?? false }
    return isRight && stored != nil
  }

  private func work<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    if running < slots {
      running += 1
    } else {
      guard waiting.count < queueLimit else { throw Busy() }
      // A finished task passes its slot on.
      await withCheckedContinuation { waiting.append($0) }
    }
    defer {
      if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
    derivations += 1
    return try await queue.run(body)
  }
}
