// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Foundation
package import Intake
package import Logging
package import Storage

/// Background work for apps: stores the last use of their keys and the requests of clients once a minute, and withdraws
/// the reports of leaked keys.
///
/// Several servers may run it at once: they take turns at the same withdrawal.
package struct AppJob: Sendable {
  private let apps: AppStore
  private let withdrawals: KeyWithdrawalStore
  private let uses: KeyUseCounter
  private let clients: ClientFetchStore
  private let fetches: ClientFetchCounter
  private let logger: Logger

  /// - Parameter uses: and `fetches`, counters that the server fills.
  package init(
    apps: AppStore, withdrawals: KeyWithdrawalStore, uses: KeyUseCounter, clients: ClientFetchStore,
    fetches: ClientFetchCounter, logger: Logger
  ) {
    self.apps = apps
    self.withdrawals = withdrawals
    self.uses = uses
    self.clients = clients
    self.fetches = fetches
    self.logger = logger
  }

  /// Runs until the task is canceled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await repeatedly(every: .seconds(60), "Cannot store the uses of keys", logger: logger) { try await noteUses() }
      }
      group.addTask {
        await repeatedly(every: .seconds(60), "Cannot store the requests of clients", logger: logger) {
          try await noteFetches()
        }
      }
      group.addTask {
        await repeatedly(every: .seconds(2), "Cannot withdraw the reports of keys", logger: logger) {
          try await withdraw()
        }
      }
    }
  }

  /// Stores what was counted since the last minute, before the server ends.
  package func finish() async throws {
    try await noteUses()
    try await noteFetches()
  }

  /// A failed write is repeated later.
  func noteUses() async throws {
    let taken = uses.take()
    do {
      try await apps.note(uses: taken)
    } catch {
      for use in taken { uses.note(use.key, at: use.time) }
      throw error
    }
  }

  /// A failed write is repeated later.
  func noteFetches() async throws {
    let taken = fetches.take()
    do {
      try await clients.add(taken, at: Date())
    } catch {
      fetches.putBack(taken)
      throw error
    }
  }

  /// Carries out the requested withdrawals, step by step, except those that may not begin yet.
  private func withdraw() async throws {
    for work in try await withdrawals.list(onlyOpen: true).reversed() where work.until <= Date() {
      var left: KeyWithdrawal? = work
      while let open = left, open.doneAt == nil {
        try Task.checkCancellation()
        left = try await withdrawals.step(open.id, at: Date())
      }
      guard let done = left else { continue }
      logger.info(
        "Withdrew the reports of a key",
        metadata: [
          "key.id": .stringConvertible(done.keyID), "reports": .stringConvertible(done.withdrawn),
          "reports.seen": .stringConvertible(done.seen),
        ])
    }
  }
}
