import Foundation
public import Logging
public import Storage

/// Background work for apps: the last use of their keys is written down once a minute, and reports
/// that came by a leaked key are taken back.
///
/// Several servers may do so at once: they take turns at the same piece of work.
public struct AppJob: Sendable {
  private let apps: AppStore
  private let withdrawals: KeyWithdrawalStore
  private let uses: KeyUseCounter
  private let logger: Logger

  private static let pause = Duration.seconds(2)
  /// So many pauses lie between two times that uses are written down: a minute.
  private static let pausesPerNote = 30

  /// - Parameter uses: what the server notes.
  public init(apps: AppStore, withdrawals: KeyWithdrawalStore, uses: KeyUseCounter, logger: Logger) {
    self.apps = apps
    self.withdrawals = withdrawals
    self.uses = uses
    self.logger = logger
  }

  /// Works until the task is cancelled. A failure of the database is logged once until it is over.
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

  /// Writes down which keys were used; what fails is noted again.
  public func noteUses() async throws {
    let taken = uses.take()
    do {
      try await apps.note(uses: taken)
    } catch {
      for use in taken { uses.note(use.key, at: use.time) }
      throw error
    }
  }

  /// Does what was asked for, step by step, until nothing is left that may begin.
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
