// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import NIOCore
import Synchronization

/// Makes the handlers of a server's connections; those of one event loop share a mailbox.
package final class ReportFastPathHandlers: Sendable {
  private let shortcut: ReportFastPath
  private let mailboxes = Mutex<[ObjectIdentifier: ResponseMailbox]>([:])

  package init(_ shortcut: ReportFastPath) {
    self.shortcut = shortcut
  }

  /// - Parameter loop: the event loop of the connection.
  package func makeHandler(
    on loop: any EventLoop, connection: ConnectionLimitHandler, end: ConnectionEnd
  ) -> ReportFastPathHandler {
    let mailbox = mailboxes.withLock { mailboxes in
      if let mailbox = mailboxes[ObjectIdentifier(loop)] { return mailbox }
      let mailbox = ResponseMailbox(loop: loop)
      mailboxes[ObjectIdentifier(loop)] = mailbox
      return mailbox
    }
    return ReportFastPathHandler(shortcut: shortcut, mailbox: mailbox, connection: connection, end: end)
  }
}
