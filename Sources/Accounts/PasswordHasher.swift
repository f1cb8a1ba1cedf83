import AsyncSupport
import Dispatch

/// Hashes passwords beside the cooperative pool, and only so many at once: each takes 32 MiB for a tenth of a second, and
/// a flood of sign-ins must not take all the memory.
public actor PasswordHasher {
  /// Why a password was not looked at: too many wait. It is welcome in a moment.
  public struct Busy: Error {}

  private let cost: PasswordHash.Cost
  private let slots: Int
  private let queueLimit: Int
  private let queue = DispatchQueue(label: "passwords", attributes: .concurrent)
  private var running = 0
  /// How many keys were derived from passwords.
  private(set) var derivations = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// What a password is compared with where there is no account.
  private let nobody: String

  /// - Parameters:
  ///   - slots: how many at once.
  ///   - queueLimit: how many may wait; more are ``Busy``.
  public init(slots: Int = 2, queueLimit: Int = 32) {
    self.init(slots: slots, queueLimit: queueLimit, cost: .standard)
  }

  init(slots: Int, queueLimit: Int, cost: PasswordHash.Cost) {
    (self.slots, self.queueLimit, self.cost) = (slots, queueLimit, cost)
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    nobody = "scrypt$\(cost.log2N)$\(cost.r)$\(cost.p)$AAAAAAAAAAAAAAAAAAAAAA==$\(zeros)"
  }

  /// A password as it is stored.
  /// - Throws: ``Busy``.
  public func hash(_ password: String) async throws -> String {
    let cost = cost
    return try await work { try PasswordHash(password, cost: cost).text }
  }

  /// Whether a password is the one that is stored. Where none is stored it takes as long and says no.
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
      // Whoever is done hands its slot over.
      await withCheckedContinuation { waiting.append($0) }
    }
    defer {
      if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
    derivations += 1
    return try await queue.run(body)
  }
}
