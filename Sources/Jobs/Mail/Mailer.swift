// SPDX-License-Identifier: Apache-2.0

import CallerPack
import ServerSupport
package import Curation
import Support
import Foundation

/// Sends mail through a server of the operator's, or a program that works as `sendmail`.
///
/// SMTP is left to the program curl, which knows the ways to sign in and to encrypt. It is given the password on its
/// standard input, which other accounts cannot read.
package struct Mailer: Sendable {
  package enum Transport: Sendable, Equatable {
    /// - Parameters:
    ///   - isTLS: encrypted from the start (`smtps`). Otherwise STARTTLS is required, except to this machine itself.
    case smtp(host: String, port: Int, isTLS: Bool)
    /// A program with the options of `sendmail`.
    case program(String)

    /// - Parameter text: `smtp://HOST:PORT`, `smtps://HOST:PORT`, or the path of a program.
    package init?(_ text: String) {
      if text.hasPrefix("/") {
        self = .program(text)
        return
      }
      guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
        ["smtp", "smtps"].contains(scheme), let host = url.host, !host.isEmpty, url.user == nil, url.password == nil,
        url.path.isEmpty || url.path == "/", url.query == nil,
        host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
      else { return nil }
      self = .smtp(host: host, port: url.port ?? (scheme == "smtps" ? 465 : 587), isTLS: scheme == "smtps")
    }
  }

  private let transport: Transport
  private let user: String?
  private let password: String?
  private let sender: MailAddress
  /// A private folder for a message while it is sent.
  private let folder: String

  /// How long one message may take.
  static let patience = Duration.seconds(60)

  /// - Parameters:
  ///   - user: nil sends without signing in.
  ///   - sender: the address of the field From, and of the envelope.
  ///   - folder: a private folder that exists.
  package init(transport: Transport, user: String?, password: String?, sender: MailAddress, folder: String) {
    (self.transport, self.user, self.password, self.sender) = (transport, user, password, sender)
    self.folder = folder
  }

  /// - Returns: nil where it was taken.
  /// - Throws: `CancellationError`.
  func send(_ message: MailMessage) async throws -> DeliveryFailure? {
    let bytes = message.data(from: sender)
    guard bytes.count <= ExternalProgram.maxInput else {
      return .mailFailed("The message has more than \(ExternalProgram.maxInput) bytes.")
    }
    let end: (status: Int32, output: String, isOverdue: Bool)
    do {
      end = try await deliver(bytes, to: message.recipient)
    } catch let failure as FileFailure {
      return .mailFailed(failure.description)
    } catch let error where !(error is CancellationError) {
      return .mailFailed(error.localizedDescription)
    }
    if end.isOverdue { return .tookTooLong(seconds: Self.patience.components.seconds) }
    guard end.status != 0 else { return nil }
    // Tried again whatever the reason is: a server that refuses an address may accept it later.
    let lines = end.output.split(separator: "\n")
    let reason = (lines.first { $0.hasPrefix("curl: (") } ?? lines.last).map {
      // Logs and the command line do not show the addresses of owners.
      String($0.replacing(message.recipient.text, with: "RECIPIENT").prefix(300))
    }
    return .mailFailed(reason ?? "exit code \(end.status)")
  }

  private func deliver(
    _ bytes: Data, to recipient: MailAddress
  ) async throws -> (status: Int32, output: String, isOverdue: Bool) {
    switch transport {
    case .program(let path):
      let arguments = ["-i", "-f", sender.text, "--", recipient.text]
      return try await ExternalProgram.run(path, arguments, input: bytes, limit: Self.patience)
    case .smtp(let host, let port, let isTLS):
      removeLeftovers()
      let file = "\(folder)/\(UUID().uuidString).mail"
      try PrivateFile.create(file, bytes)
      defer { unlink(file) }
      let options = curlOptions(host: host, port: port, isTLS: isTLS, to: recipient, file: file)
      let arguments = ["curl", "--disable", "--silent", "--show-error", "--config", "-"]
      return try await ExternalProgram.run(
        "/usr/bin/env", arguments, input: Data(options.utf8), limit: Self.patience)
    }
  }

  /// Deletes messages of processes that were killed, because they contain addresses of people.
  private func removeLeftovers() {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".mail") {
      let path = "\(folder)/\(name)"
      let written = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      if let written, -written.timeIntervalSinceNow > Double(2 * Self.patience.components.seconds) { unlink(path) }
    }
  }

  private func curlOptions(host: String, port: Int, isTLS: Bool, to recipient: MailAddress, file: String) -> String {
    let own = sender.text.split(separator: "@").last.map(String.init) ?? "localhost"
    var lines = [
      // The path is the name with which curl greets the server.
      "url = \"\(isTLS ? "smtps" : "smtp")://\(host):\(port)/\(own)\"",
      "mail-from = \"<\(sender.text)>\"", "mail-rcpt = \"<\(recipient.text)>\"",
      "upload-file = \(Self.quoted(file))", "connect-timeout = 15",
    ]
    if !isTLS, !WebOrigin.isLoopback(host) { lines.append("ssl-reqd") }
    if let user { lines.append("user = \(Self.quoted("\(user):\(password ?? "")"))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}

/// A mail of plain text.
struct MailMessage: Sendable {
  /// The field Message-ID without its brackets: the same each time the message is sent.
  let id: String
  let recipient: MailAddress
  let date: Date
  /// One line, without numbers of callers.
  let subject: String
  let text: String

  /// The message in the form of RFC 5322.
  func data(from sender: MailAddress) -> Data {
    let body = Data(text.replacing("\n", with: "\r\n").utf8).base64EncodedString(
      options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    let lines = [
      "From: Ringfence <\(sender.text)>", "To: <\(recipient.text)>", "Subject: \(Self.encodedWords(subject))",
      "Date: \(Self.format(date))", "Message-ID: <\(id)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", body,
    ]
    return Data((lines.joined(separator: "\r\n") + "\r\n").utf8)
  }

  /// A text of a header field by RFC 2047, in words of at most 75 bytes.
  static func encodedWords(_ text: String) -> String {
    var words: [String] = []
    var part: [UInt8] = []
    for character in text where !character.isNewline {
      if part.count + character.utf8.count > 45 {
        words.append(Data(part).base64EncodedString())
        part = []
      }
      part += character.utf8
    }
    words.append(Data(part).base64EncodedString())
    return words.map { "=?utf-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  /// A time by RFC 5322, such as `Sun, 22 Nov 2026 01:10:00 +0000`.
  static func format(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss +0000"
    return formatter.string(from: date)
  }
}
