public import Curation

/// Who changes something, as the audit log names them.
public struct Actor: Sendable, Equatable {
  /// The account's name, 1 to 80 characters.
  public let name: String
  /// What it acts as.
  public let role: Role

  /// - Parameters: see the properties.
  public init(name: String, role: Role) {
    self.name = name
    self.role = role
  }

  /// An account that has signed in.
  public init(_ moderator: Session) {
    self.init(name: moderator.name, role: moderator.role)
  }

  /// Whoever can run commands on the server's data is an administrator.
  /// - Parameter name: what was given with `--by`.
  public static func commandLine(_ name: String) -> Actor { Actor(name: name, role: .administrator) }

  /// What this actor did.
  public func did(
    _ action: String, to subject: String, before: [String: String]? = nil, after: [String: String]? = nil,
    because reason: String? = nil
  ) -> AuditEvent {
    AuditEvent(
      actor: name, role: role, action: action, subject: subject, before: before, after: after, reason: reason)
  }
}
