// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Curation
public import Foundation
import Synchronization

/// A change by somebody, for the audit log. ``Actor/did(_:to:id:before:after:because:)`` makes one.
public struct AuditEvent: Sendable, Equatable {
  /// Identifies the event: a retry does not add it twice.
  public let id: UUID
  /// The author's name, 1 to 80 characters.
  public let actor: String
  /// A ``Role``'s raw value, `system` for programs and automatic changes, `owner` for owners of numbers, or `app`.
  public let role: String
  /// ``CommandAuthor/way`` for changes by commands; nil for the others.
  public let via: String?
  /// A raw value of ``AuditAction``, or one of another version of the program.
  public let action: String
  /// The changed object: a number with its plus, an account's name…; 1 to 200 characters.
  public let subject: String
  /// The state before, by field; nil for none. Never a secret.
  public let before: [String: String]?
  /// The state after, by field; nil for none. Never a secret.
  public var after: [String: String]?
  /// At most 2,000 characters.
  public let reason: String?
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

/// The author of a change.
public struct Actor: Sendable, Equatable {
  /// 1 to 80 characters.
  public let name: String
  /// The author may do what this role may.
  public let role: Role
  /// The role in the audit log where it is none of an account.
  private let kind: String?

  public init(name: String, role: Role) {
    self.init(name, role)
  }

  public init(_ moderator: Session) {
    self.init(moderator.name, moderator.role)
  }

  private init(_ name: String, _ role: Role, kind: String? = nil) {
    (self.name, self.role, self.kind) = (name, role, kind)
  }

  /// The server itself.
  public static let ringfence = program("ringfence")
  /// An identity provider.
  static let signOn = program("single sign-on")
  /// The owner of a number, who has proven it with a code.
  public static let owner = Actor("owner", .triage, kind: "owner")

  /// An app that acts for one of its users.
  public static func app(_ name: String) -> Actor { Actor(name, .triage, kind: "app") }

  /// Something that acts without a person.
  package static func program(_ name: String) -> Actor { Actor(name, .administrator, kind: "system") }

  /// The author of a command: access to the server's data implies what an administrator may do. The audit log has the role
  /// of ``CommandAuthor``.
  public static func commandLine(_ name: String) -> Actor { Actor(name, .administrator) }

  /// The highest level of cases that are shown: 0 triage, 1 moderators, 2 administrators.
  public var level: Int16 {
    switch role {
    case .triage: 0
    case .moderator: 1
    case .administrator: 2
    }
  }

  /// The audit event of an action. Text that is too long is cut.
  /// - Parameter id: one for each change, so that a repeated transaction adds it once.
  public func did(
    _ action: AuditAction, to subject: String, id: UUID = .inOrder(), before: [String: String]? = nil,
    after: [String: String]? = nil, because reason: String? = nil
  ) -> AuditEvent {
    let author = CommandAuthor.current
    return AuditEvent(
      id: id, actor: TextLimit.author(name),
      role: author?.name == name ? author?.role ?? "" : kind ?? role.rawValue,
      via: author.map { _ in CommandAuthor.way }, action: action.rawValue,
      subject: String(subject.prefix(200)), before: before, after: after,
      reason: reason.flatMap { $0.isEmpty ? nil : String($0.prefix(2_000)) })
  }

  /// The audit event of an action on a number.
  public func did(
    _ action: AuditAction, to number: Int64, id: UUID = .inOrder(), before: [String: String]? = nil,
    after: [String: String]? = nil, because reason: String? = nil
  ) -> AuditEvent {
    did(action, to: "+\(number)", id: id, before: before, after: after, because: reason)
  }
}

/// The author whom a command names, for all audit events of its task.
public struct CommandAuthor: Sendable, Equatable {
  /// Nil outside commands.
  @TaskLocal public static var current: CommandAuthor?
  /// Commands without `--by` and `--by-program`.
  public static let unnamed = CommandAuthor(name: "command line", role: .administrator)
  static let way = "command line"

  public let name: String
  /// As in ``AuditEvent/role``.
  let role: String

  /// - Parameter role: the account's own, even though a command may do more.
  public init(name: String, role: Role) {
    (self.name, self.role) = (name, role.rawValue)
  }

  public init(program: String) {
    (name, role) = (program, "system")
  }
}
