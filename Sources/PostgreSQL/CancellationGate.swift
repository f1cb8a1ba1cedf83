// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import CLibPQ

/// Sends cancel requests for the running statement only.
///
/// `PQcancel` blocks, so it runs on a separate thread. A request that reaches the server before its statement is lost,
/// so it is repeated until the statement ends. A statement ends only when no request is in progress, so that none
/// cancels the next statement.
final class CancellationGate: @unchecked Sendable {
  private let lock = ConditionLock()
  private let handle: OpaquePointer?
  private var generation: UInt64 = 0
  private var isRunning = false
  private var isSending = false
  private var hasThread = false

  init(connection: OpaquePointer) {
    handle = PQgetCancel(connection)
  }

  deinit {
    PQfreeCancel(handle)
  }

  /// Marks the start of a statement and returns its ticket.
  func begin() -> UInt64 {
    lock.withLock {
      generation += 1
      isRunning = true
      return generation
    }
  }

  /// Marks the end of the statement; waits for a request in progress.
  func end() {
    lock.withLock {
      isRunning = false
      if hasThread { lock.broadcast() }
      while isSending { lock.wait() }
    }
  }

  /// Asks the server to cancel the statement of `ticket`, if it still runs. Returns at once.
  func request(_ ticket: UInt64) {
    let starts = lock.withLock {
      guard isRunning, generation == ticket, !hasThread else { return false }
      hasThread = true
      return true
    }
    guard starts else { return }
    startThread { self.send(ticket) }
  }

  /// Sends one request and waits for it; for the connection's own thread.
  func sendNow() {
    var message = [CChar](repeating: 0, count: 256)
    _ = PQcancel(handle, &message, Int32(message.count))
  }

  private func send(_ ticket: UInt64) {
    var pause = 20
    while true {
      let goesOn = lock.withLock {
        guard isRunning, generation == ticket else {
          hasThread = false
          return false
        }
        isSending = true
        return true
      }
      guard goesOn else { return }
      sendNow()
      lock.withLock {
        isSending = false
        lock.broadcast()
        if isRunning, generation == ticket { lock.wait(milliseconds: pause) }
      }
      pause = min(pause * 2, 1_000)
    }
  }
}
