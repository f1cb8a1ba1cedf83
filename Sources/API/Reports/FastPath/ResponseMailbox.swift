// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import Storage
import Synchronization

/// Carries answers from the intake to the connections of an event loop. It wakes the loop once for a commit, whatever
/// the count of answers.
package final class ResponseMailbox: Sendable {
  private struct Letter {
    let connection: NIOLoopBound<ReportFastPathHandler>
    let answer: Result<ReportOutcome, any Error>
  }

  private let loop: any EventLoop
  private let letters = Mutex<[Letter]>([])

  package init(loop: any EventLoop) {
    self.loop = loop
  }

  /// Callable from any thread.
  package func post(_ answer: Result<ReportOutcome, any Error>, to connection: NIOLoopBound<ReportFastPathHandler>) {
    let isFirst = letters.withLock { letters in
      letters.append(Letter(connection: connection, answer: answer))
      return letters.count == 1
    }
    if isFirst { loop.execute { self.deliver() } }
  }

  private func deliver() {
    let letters = letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
    for letter in letters { letter.connection.value.answered(letter.answer) }
  }
}
