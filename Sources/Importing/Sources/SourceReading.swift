// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Foundation

/// Reads a list's file on a thread of its own, within a limit of the thread's CPU time.
/// - Parameters:
///   - limit: of the CPU time. A list that is made to be slow stops there, and others are read.
///   - work: receives whether it has to end with `CancellationError`.
/// - Throws: ``SourceFailure/tooMuchWork(seconds:)`` beyond the limit, `CancellationError`, and the errors of `work`.
func readOnThread<Result: Sendable>(
  within limit: Duration, _ work: @escaping @Sendable (_ isOver: @escaping @Sendable () -> Bool) throws -> Result
) async throws -> Result {
  let flag = CancellationFlag()
  return try await withTaskCancellationHandler {
    try await runOnThread {
      let end = threadTime() + limit
      do {
        return try work { flag.isSet || threadTime() >= end }
      } catch is CancellationError where !flag.isSet {
        throw SourceFailure.tooMuchWork(seconds: limit.components.seconds)
      }
    }
  } onCancel: {
    flag.set()
  }
}

/// The CPU time of the current thread.
private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// The error of a complete file that is refused, mostly because of its rejected rows: nothing of it is used.
struct RejectedFile: Error {
  let rejected: RejectedRows
  let failure: SourceFailure
}

extension RejectedRows {
  /// Refuses a file of which most rows are rejected, or about numbers that the plan does not have.
  /// - Parameter ignored: rejected rows that are no reason for it.
  func check(except ignored: Int = 0) throws(RejectedFile) {
    let bad = suspect - ignored
    guard bad * 2 <= rows else {
      throw RejectedFile(rejected: self, failure: .tooManyRejects(rejected: bad, rows: rows))
    }
  }
}
