// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The requests of each account: few are worked on at a time, and others wait in their order, so that no account takes the
/// database or the memory from all others.
package final class AccountTurns<Account: Hashable & Sendable>: Sendable {
  private struct Line {
    var working = 0
    var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let accounts = Mutex<(last: UInt64, lines: [Account: Line])>((0, [:]))

  private let most: Int
  package let mostWaiting: Int

  /// - Parameters:
  ///   - most: the requests of an account that are worked on at a time, at least 1.
  ///   - mostWaiting: those that may wait.
  package init(most: Int, mostWaiting: Int) { (self.most, self.mostWaiting) = (most, mostWaiting) }

  /// Runs `body` when it is the request's turn.
  /// - Throws: ``Problem/busy`` where too many wait; `CancellationError` while it waits; the error of `body`.
  package func take<Result>(_ account: Account, _ body: () async throws -> Result) async throws -> Result {
    try await wait(account)
    defer { leave(account) }
    return try await body()
  }

  package func waiting(of account: Account) -> Int { accounts.withLock { $0.lines[account]?.waiting.count ?? 0 } }

  private func wait(_ account: Account) async throws {
    let id = accounts.withLock { accounts in
      accounts.last += 1
      return accounts.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Swift.Result<Void, any Error>? = accounts.withLock { accounts in
          guard !Task.isCancelled else { return .failure(CancellationError()) }
          var entry = accounts.lines[account] ?? Line()
          defer { accounts.lines[account] = entry }
          if entry.working < most {
            entry.working += 1
            return .success(())
          }
          guard entry.waiting.count < mostWaiting else { return .failure(Problem.busy) }
          entry.waiting.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(with: answer) }
      }
    } onCancel: {
      let waiter = accounts.withLock { accounts -> CheckedContinuation<Void, any Error>? in
        guard let place = accounts.lines[account]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return accounts.lines[account]?.waiting.remove(at: place).continuation
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func leave(_ account: Account) {
    let next = accounts.withLock { accounts -> CheckedContinuation<Void, any Error>? in
      guard var entry = accounts.lines[account] else { return nil }
      defer { accounts.lines[account] = entry.working == 0 ? nil : entry }
      guard !entry.waiting.isEmpty else {
        entry.working -= 1
        return nil
      }
      return entry.waiting.removeFirst().continuation
    }
    next?.resume()
  }
}
