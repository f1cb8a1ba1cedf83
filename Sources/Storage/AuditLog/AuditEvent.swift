// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Curation
public import Foundation
import Synchronization

/// A change by a person, for the audit log.
public struct AuditEvent: Sendable, Equatable {
  /// Identifies the event: a retry does not add it twice.
  public let id: UUID
  /// The account's name, 1 to 80 characters.
  public let actor: String
  /// The role it acted in: a ``Role``'s raw value, or `system` for automatic changes.
  public let role: String
  /// The action as `area.verb`, such as `decision.block`.
  public let action: String
  /// The changed object: a number with its plus, an account's name…; 1 to 200 characters.
  public let subject: String
  /// The state before, by field; nil for none. Never a secret.
  public let before: [String: String]?
  /// The state after, by field; nil for none. Never a secret.
  public let after: [String: String]?
  /// The reason, where one was given; at most 2,000 characters.
  public let reason: String?

  /// Cuts text that is too long.
  public init(
    id: UUID = .inOrder(), actor: String, role: String, action: String, subject: String,
    before: [String: String]? = nil,
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

  public init(
    id: UUID = .inOrder(), actor: String, role: Role, action: String, subject: String, before: [String: String]? = nil,
    after: [String: String]? = nil, reason: String? = nil
  ) {
    self.init(
      id: id, actor: actor, role: role.rawValue, action: action, subject: subject, before: before, after: after,
      reason: reason)
  }
}

extension UUID {
  /// Milliseconds since 1970 and a counter: the last one of this process.
  private static let last = Mutex<(time: UInt64, count: UInt64)>((0, 0))

  /// A new UUID that is greater than all earlier ones of this process (RFC 9562, 5.7), so that events of one moment are
  /// exported in their order.
  public static func inOrder() -> UUID {
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1_000))
    let (time, count) = last.withLock { last in
      last = now > last.time ? (now, 0) : last.count < 0xFFF ? (last.time, last.count + 1) : (last.time + 1, 0)
      return last
    }
    let head = (time << 16 | 0x7000 | count).bigEndian
    let tail = (UInt64.random(in: 0...UInt64.max) >> 2 | 1 << 63).bigEndian
    return withUnsafeBytes(of: (head, tail)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The same UUID for the same text: identifies an event that may be written again after a restart (RFC 9562, 5.8).
  package init(naming text: String) {
    var bytes = Array(SHA256.hash(data: Data(text.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

/// The author of a change, as recorded in the audit log.
public struct Actor: Sendable, Equatable {
  /// The account's name, 1 to 80 characters.
  public let name: String
  public let role: Role

  public init(name: String, role: Role) {
    self.name = name
    self.role = role
  }

  public init(_ moderator: Session) {
    self.init(name: moderator.name, role: moderator.role)
  }

  /// The author of a command: access to the server's data implies the role of administrator.
  /// - Parameter name: the value of `--by`.
  public static func commandLine(_ name: String) -> Actor { Actor(name: name, role: .administrator) }

  public func did(
    _ action: String, to subject: String, before: [String: String]? = nil, after: [String: String]? = nil,
    because reason: String? = nil
  ) -> AuditEvent {
    AuditEvent(
      actor: name, role: role, action: action, subject: subject, before: before, after: after, reason: reason)
  }
}
