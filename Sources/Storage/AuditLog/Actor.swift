// SPDX-License-Identifier: Apache-2.0

public import Curation

/// The author of a change, as recorded in the audit log.
public struct Actor: Sendable, Equatable {
  /// The account's name, 1 to 80 characters.
  public let name: String
  /// The role in which the author acts.
  public let role: Role

  /// - Parameters: see the properties.
  public init(name: String, role: Role) {
    self.name = name
    self.role = role
  }

  /// A signed-in account.
  public init(_ moderator: Session) {
    self.init(name: moderator.name, role: moderator.role)
  }

  /// The author of a command: access to the server's data implies the role of administrator.
  /// - Parameter name: the value of `--by`.
  public static func commandLine(_ name: String) -> Actor { Actor(name: name, role: .administrator) }

  /// The audit event of an action by this actor.
  public func did(
    _ action: String, to subject: String, before: [String: String]? = nil, after: [String: String]? = nil,
    because reason: String? = nil
  ) -> AuditEvent {
    AuditEvent(
      actor: name, role: role, action: action, subject: subject, before: before, after: after, reason: reason)
  }
}
