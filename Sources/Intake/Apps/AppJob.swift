// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
public import Storage

/// Background work for apps: stores the last use of their keys once a minute, and withdraws the reports of leaked keys.
///
/// Several servers may run it at once: they take turns at the same withdrawal.
public struct AppJob: Sendable {
  private let apps: AppStore
  private let withdrawals: KeyWithdrawalStore
  private let uses: KeyUseCounter
  private let logger: Logger

  private static let pause = Duration.seconds(2)
  /// Number of pauses between two writes of key uses: a minute.
  private static let pausesPerNote = 30

  /// - Parameter uses: the counter that the server fills.
  public init(apps: AppStore, withdrawals: KeyWithdrawalStore, uses: KeyUseCounter, logger: Logger) {
    self.apps = apps
    self.withdrawals = withdrawals
    self.uses = uses
    self.logger = logger
  }

  /// Runs until the task is cancelled. A database failure is logged once until it ends.
  public func run() async {
    var (pauses, isFailing) = (0, false)
    while !Task.isCancelled {
      do {
        pauses += 1
        if pauses % Self.pausesPerNote == 0 { try await noteUses() }
        try await withdraw()
        isFailing = false
      } catch  where Task.isCancelled {
        return
      } catch {
        if !isFailing {
          logger.error("The database does not answer; keys and withdrawals wait", metadata: ["error": "\(error)"])
        }
        isFailing = true
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Stores which keys were used; a failed write is repeated later.
  public func noteUses() async throws {
    let taken = uses.take()
    do {
      try await apps.note(uses: taken)
    } catch {
      for use in taken { uses.note(use.key, at: use.time) }
      throw error
    }
  }

  /// Carries out the requested withdrawals, step by step, except those that may not begin yet.
  public func withdraw() async throws {
    for work in try await withdrawals.list(onlyOpen: true).reversed() where work.until <= Date() {
      var left: KeyWithdrawal? = work
      while let open = left, open.doneAt == nil {
        try Task.checkCancellation()
        left = try await withdrawals.step(open.id, at: Date())
      }
      guard let done = left else { continue }
      logger.info(
        "Withdrew the reports of a key",
        metadata: ["key.id": "\(done.keyID)", "reports": "\(done.withdrawn)", "reports.seen": "\(done.seen)"])
    }
  }
}
