import NIOCore
import Synchronization

/// Makes the handlers of a server's connections; those of one event loop share a mailbox.
final class ReportShortcuts: Sendable {
  private let shortcut: ReportShortcut
  private let mailboxes = Mutex<[ObjectIdentifier: AnswerMailbox]>([:])

  init(_ shortcut: ReportShortcut) {
    self.shortcut = shortcut
  }

  /// - Parameter loop: of the connection.
  func makeHandler(
    on loop: any EventLoop, connection: ConnectionGuard, end: ConnectionEnd
  ) -> ReportShortcutHandler {
    let mailbox = mailboxes.withLock { mailboxes in
      if let mailbox = mailboxes[ObjectIdentifier(loop)] { return mailbox }
      let mailbox = AnswerMailbox(loop: loop)
      mailboxes[ObjectIdentifier(loop)] = mailbox
      return mailbox
    }
    return ReportShortcutHandler(shortcut: shortcut, mailbox: mailbox, connection: connection, end: end)
  }
}
