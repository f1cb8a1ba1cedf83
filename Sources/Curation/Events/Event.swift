// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Something that happened which receivers of webhooks, and people by mail, are told.
public struct Event: Sendable, Equatable {
  /// Webhooks get all of them except ``appealAnswered``, ``ownerCode`` and ``invitation``; each account chooses its mails.
  public enum Kind: String, Sendable, CaseIterable {
    case publication
    case gateFailed = "gate_failed"
    /// Any failure except at a gate.
    case publicationFailed = "publication_failed"
    case afterPublishFailed = "after_publish_failed"
    case appealFiled = "appeal_filed"
    case reviewDisputed = "review_disputed"
    case caseOverdue = "case_overdue"
    case sourceSuspended = "source_suspended"
    case sourceRowsRejected = "source_rows_rejected"
    case backupFailed = "backup_failed"
    case keyExpiring = "key_expiring"
    case recordUnwritable = "record_unwritable"
    case nodeAway = "node_away"
    /// Of `ringfence notify --test`.
    case test
    /// The answer to the owner of a number, by mail alone.
    case appealAnswered = "appeal_answered"
    /// A code that proves control of a number, to the operator's gateway alone.
    case ownerCode = "owner_code"
    /// A sign-in link for a new account, by mail alone.
    case invitation

    public static func offered(to role: Role) -> [Kind] {
      allCases.filter { ![.test, .appealAnswered, .ownerCode, .invitation].contains($0) && $0.role <= role }
    }

    /// The lowest role that the event concerns. Its mails can have details, such as paths, which are not for lower ones.
    public var role: Role {
      switch self {
      case .publication, .caseOverdue, .test, .appealAnswered, .ownerCode, .invitation: .triage
      case .appealFiled: .moderator
      case .gateFailed, .publicationFailed, .afterPublishFailed, .reviewDisputed, .sourceSuspended,
        .sourceRowsRejected, .backupFailed, .keyExpiring, .recordUnwritable, .nodeAway:
        .administrator
      }
    }
  }

  /// The same for the same event, however often it is recorded.
  public let id: UUID
  public let kind: Kind
  /// The JSON object that receivers get: `event`, `id`, `occurred_at` and details of the kind.
  public let body: String

  /// - Parameters:
  ///   - id: the same for the same event.
  ///   - details: further members of the JSON object.
  public init(_ kind: Kind, id: UUID = UUID(), at time: Date, _ details: [String: Detail] = [:]) {
    let common: [String: Detail] = [
      "event": .text(kind.rawValue), "id": .text(id.uuidString.lowercased()),
      "occurred_at": .text(time.formatted(.iso8601)),
    ]
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and integers can always be encoded.
    let data = (try? encoder.encode(common.merging(details) { first, _ in first })) ?? Data()
    (self.id, self.kind, body) = (id, kind, String(decoding: data, as: UTF8.self))
  }

  /// The same event with another body, for one that is stored encrypted.
  public init(_ event: Event, body: String) {
    (id, kind, self.body) = (event.id, event.kind, body)
  }

  /// A value of the JSON object.
  public enum Detail: Sendable, Equatable, Encodable {
    case text(String)
    case count(Int)
    case texts([String])

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .count(let count): try container.encode(count)
      case .texts(let texts): try container.encode(texts)
      }
    }
  }
}

/// An address for mail, in the plain form of RFC 5321: letters, digits and some signs, and a domain with a dot.
public struct MailAddress: Sendable, Equatable {
  /// At most 200 ASCII characters, none of which has a meaning to a shell, in a header field or in a file of options.
  public let text: String

  public init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard text.utf8.count <= 200, parts.count == 2, (1...64).contains(parts[0].utf8.count),
      !parts[0].hasPrefix("-"), !parts[0].hasPrefix("."), !parts[0].hasSuffix("."),
      parts[0].utf8.allSatisfy({ Self.isPlain($0) || "._%+-".utf8.contains($0) })
    else { return nil }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2,
      labels.allSatisfy({ label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { Self.isPlain($0) || $0 == UInt8(ascii: "-") }
      })
    else { return nil }
    self.text = text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
