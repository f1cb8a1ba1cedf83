public import Foundation

/// A personal list in the shape that the Flutter plugin `flutter_callkit_voximplant` keeps in the defaults of an
/// app group, so that its Dart side can show and edit it.
public struct CallDirectoryMirror: Codable, Sendable, Equatable {
  /// A blocked number.
  public struct BlockedNumber: Codable, Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// When it was last changed; seconds since 2001-01-01 in JSON.
    public var modificationDate: Date
    /// The removal mark.
    public var isRemoved: Bool
  }

  /// A named number.
  public struct IdentifiedNumber: Codable, Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// The name to show.
    public var label: String
    /// When it was last changed; seconds since 2001-01-01 in JSON.
    public var modificationDate: Date
    /// The removal mark.
    public var isRemoved: Bool
  }

  /// Ascending by number, each number once.
  public var blockedNumbers: [BlockedNumber]
  /// Ascending by number, each number once.
  public var identifiedNumbers: [IdentifiedNumber]
  /// When the system last took the list. Set it after a request succeeded, never before.
  public var lastUpdate: Date?

  /// The mirror of a list.
  public init(_ list: PersonalList, lastUpdate: Date? = nil) {
    blockedNumbers = list.blockedWithMarks.map {
      BlockedNumber(number: $0.number, modificationDate: $0.modified, isRemoved: $0.isRemoved)
    }
    identifiedNumbers = list.identifiedWithMarks.map {
      IdentifiedNumber(
        number: $0.number, label: $0.label ?? "", modificationDate: $0.modified, isRemoved: $0.isRemoved)
    }
    self.lastUpdate = lastUpdate
  }

  /// The whole mirror as one compact JSON object; the same mirror gives the same bytes.
  ///
  /// - Throws: what `JSONEncoder` throws.
  public func json() throws -> Data { try Self.encoder.encode(self) }

  /// What the defaults hold under the key `blockedNumbers`.
  ///
  /// - Throws: what `JSONEncoder` throws.
  public func blockedNumbersValue() throws -> Data { try Self.encoder.encode(blockedNumbers) }

  /// What the defaults hold under the key `identifiedNumbers`.
  ///
  /// - Throws: what `JSONEncoder` throws.
  public func identifiedNumbersValue() throws -> Data { try Self.encoder.encode(identifiedNumbers) }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension PersonalList {
  /// The list that a mirror shows. Where a number stands twice, which the plugin's example allows, the later
  /// statement counts, and of two at one time the later row.
  ///
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number or a label that breaks the rules.
  public init(_ mirror: CallDirectoryMirror) throws(CallDirectoryError) {
    for row in mirror.blockedNumbers where isNewer(row.modificationDate, records[row.number]?.blocked) {
      if row.isRemoved {
        try removeBlocked(row.number, at: row.modificationDate)
      } else {
        try block(row.number, at: row.modificationDate)
      }
    }
    for row in mirror.identifiedNumbers where isNewer(row.modificationDate, records[row.number]?.identified) {
      if !row.label.isEmpty { try identify(row.number, label: row.label, at: row.modificationDate) }
      if row.isRemoved {
        try removeIdentified(row.number, at: row.modificationDate)
      } else if row.label.isEmpty {
        throw .entry(number: row.number, rule: "a label is not empty")
      }
    }
  }

  private func isNewer(_ time: Date, _ known: Record.Statement?) -> Bool {
    known.map { time >= $0.modified } ?? true
  }
}
