import Crypto
public import Curation
public import Foundation

/// Something that a person changed, for the audit log of who changed what.
public struct AuditEvent: Sendable, Equatable {
  /// Names the event: written again by a retry, it stands once.
  public let id: UUID
  /// The account's name, 1 to 80 characters.
  public let actor: String
  /// The role it acted in: a ``Role``'s raw value, or `system` where nobody was asked.
  public let role: String
  /// What was done: `area.verb`, such as `decision.block`.
  public let action: String
  /// What it was done to: a number with its plus, an account's name…; 1 to 200 characters.
  public let subject: String
  /// What there was, by field; nil for nothing. Never a secret.
  public let before: [String: String]?
  /// What there is now, by field; nil for nothing. Never a secret.
  public let after: [String: String]?
  /// Why, where somebody was asked; at most 2,000 characters.
  public let reason: String?

  /// - Parameters: see the properties. Text that is too long is cut.
  public init(
    id: UUID = UUID(), actor: String, role: String, action: String, subject: String, before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) {
    self.id = id
    self.actor = String(actor.prefix(80))
    self.role = role
    self.action = action
    self.subject = String(subject.prefix(200))
    self.before = before
    self.after = after
    self.reason = reason.flatMap { $0.isEmpty ? nil : String($0.prefix(2_000)) }
  }

  /// What somebody of a role did.
  public init(
    id: UUID = UUID(), actor: String, role: Role, action: String, subject: String, before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) {
    self.init(
      id: id, actor: actor, role: role.rawValue, action: action, subject: subject, before: before, after: after,
      reason: reason)
  }
}

extension UUID {
  /// The same for the same text: names an event that may be written again after a restart (RFC 9562, 5.8).
  init(naming text: String) {
    var bytes = Array(SHA256.hash(data: Data(text.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
