public import CallerPack

/// Why something was not done; none of its words holds a phone number.
public enum ClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A field breaks a rule of the server; nothing was kept.
  case invalid(field: String, rule: String)
  /// The outbox holds as much as it may; nothing was kept. Send what waits, then try again.
  case full
  /// Another process of the app has the folder open.
  case busy
  /// A setting cannot be used.
  case configuration(String)
  /// A file could not be read or written; `code` is an `errno` value.
  case file(operation: String, code: Int32)
  /// There was no whole answer.
  case network(String)
  /// The server turns the app's key away: never that something is not there.
  case key(KeyRefusal)
  /// The server answered with a status that is of no use here.
  case status(Int)
  /// A publication was refused; what was held before stays.
  case refused(UpdateError)

  /// The error and the next step.
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
