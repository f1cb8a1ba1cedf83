// SPDX-License-Identifier: Apache-2.0

public import CallerPack

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
