// SPDX-License-Identifier: Apache-2.0

public import CallerPack
public import Foundation

/// The error of a client. It never contains a phone number.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A field breaks a rule of the server; nothing was accepted.
  case invalid(field: String, rule: String)
  /// The outbox is full; nothing was accepted. Send the waiting reports, then try again.
  case full
  /// Another process of the app has the folder open.
  case busy
  /// A setting cannot be used.
  case configuration(String)
  /// A file could not be read or written; `code` is an `errno` value.
  case file(operation: String, code: Int32)
  /// There was no complete response.
  case network(String)
  /// The server refused the app's key. A missing pack or number is never reported like this.
  case key(KeyRefusal)
  /// The server answered with an unexpected status.
  case status(Int)
  /// A publication was refused; the packs of the previous update stay.
  case refused(UpdateError)

  /// A sentence that says what happened and what to do.
  public var description: String {
    switch self {
    case .invalid(let field, let rule): "\(field): \(rule)"
    case .full: "The outbox is full. Send the waiting reports, then try again."
    case .busy: "Another process of this app uses the outbox. Use one client per folder."
    case .configuration(let rule): rule
    case .file(let operation, let code):
      "\(operation): error \(code). Free space or correct the permissions, then try again."
    case .network(let what): "\(what) Try again when the network is better."
    case .key(let refusal): refusal.text
    case .status(let status): "The server answered with status \(status)."
    case .refused(let error): "\(error)"
    }
  }
}

/// The reason why a server refused the app's key. Everything in the outbox keeps waiting.
public enum KeyRefusal: Sendable, Equatable {
  /// Status 401: the server does not know the key, or it was revoked.
  case unknown
  /// Status 403: the server knows the key, but the key lacks the scope `report`, `lookup` or `fetch`, or `vouch` for
  /// what an app's server knows of its users.
  case scope
  /// The address of the packs requires a key, and it is not the server that the app's key belongs to.
  case notSent

  /// A sentence that says what happened and what to do.
  var text: String {
    switch self {
    case .unknown:
      "The server does not know the app's key, or it was revoked. Ask its operator for a new key."
    case .scope:
      "The app's key may not do this. Ask the server's operator for one with the scope: report, lookup, fetch or vouch."
    case .notSent:
      "The address of the packs requires a key, and the app's key is sent only to its own server. Fetch packs from there."
    }
  }
}

extension ClientHead {
  /// Returns whether the server refused the key. A 403 without a problem document comes from a proxy, or from an object
  /// store, which returns it for missing files.
  /// - Parameter hasKey: whether the request contained the key.
  func keyRefusal(hasKey: Bool = true) -> KeyRefusal? {
    guard status == 401 || status == 403 && isProblem else { return nil }
    guard hasKey else { return .notSent }
    return status == 401 ? .unknown : .scope
  }

  /// Whether the response comes from the server itself: a problem document.
  var isProblem: Bool { self["Content-Type"]?.hasPrefix("application/problem+json") ?? false }
}

/// The outcome of a report, a withdrawal or a batch that was accepted earlier. It contains ids and reasons, never a
/// number.
public enum ClientEvent: Sendable, Equatable {
  /// The server has stored a report.
  case delivered(report: UUID)
  /// The server will never accept a report, which was removed from the outbox.
  case dropped(report: UUID, reason: DropReason)
  /// The server has deleted a report, or never had it.
  case withdrawn(report: UUID)
  /// The server has counted a batch of calls.
  case counted(batch: UUID)
  /// The server will never accept a batch of calls, which was removed from the outbox.
  case batchDropped(batch: UUID, reason: DropReason)
  /// The server refused the app's key. Everything in the outbox keeps waiting.
  case keyRefused(KeyRefusal)
  /// This number of bytes in the outbox's file belonged to no complete record and was skipped;
  /// ``RingfenceClient/damage`` has details. A crash never damages accepted records; a faulty disk may.
  case damaged(bytes: Int)
}

/// The reason why a report or a batch was dropped.
public enum DropReason: Sendable, Equatable {
  /// Status 409: the id was used for another content.
  case conflict
  /// Status 410: the report was withdrawn earlier.
  case withdrawn
  /// The server refused the content: the rules of its fields by name, such as `number: not_valid`, or a status.
  case invalid(String)
}

/// The outcome of one attempt to send.
public struct FlushResult: Sendable, Equatable {
  /// The number of reports that the server has stored.
  public var delivered = 0
  /// The number of reports and batches that the server will never accept, and that were removed.
  public var dropped = 0
  /// The number of reports, withdrawals and batches that still wait.
  public var waiting = 0
  /// The time of the next attempt; nil when nothing waits.
  public var nextAttempt: Date?
}
