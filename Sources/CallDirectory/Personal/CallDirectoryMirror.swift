// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A personal list in the format that the Flutter plugin `flutter_callkit_voximplant` keeps in the defaults of an app
/// group, so that Dart code can show and edit it.
///
/// ```swift
/// let mirror = CallDirectoryMirror(list, lastUpdate: Date())
/// defaults.set(try mirror.blockedNumbersValue(), forKey: "blockedNumbers")
/// ```
public struct CallDirectoryMirror: Codable, Sendable, Equatable {
  /// A blocked number.
  public struct BlockedNumber: Codable, Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// The time of the last change; seconds since 2001-01-01 in JSON.
    public var modificationDate: Date
    /// Whether the user has removed the number.
    public var isRemoved: Bool
  }

  /// A named number.
  public struct IdentifiedNumber: Codable, Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// The name to show.
    public var label: String
    /// The time of the last change; seconds since 2001-01-01 in JSON.
    public var modificationDate: Date
    /// Whether the user has removed the name.
    public var isRemoved: Bool
  }

  /// The blocked numbers, ascending, each number once.
  public var blockedNumbers: [BlockedNumber]
  /// The named numbers, ascending, each number once.
  public var identifiedNumbers: [IdentifiedNumber]
  /// The time at which the system last accepted the list. Set it only after a successful request.
  public var lastUpdate: Date?

  /// Creates the mirror of a list.
  /// - Parameters:
  ///   - list: the list to show.
  ///   - lastUpdate: the time at which the system last accepted the list.
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

  /// Encodes the mirror as one compact JSON object; the same mirror gives the same bytes.
  /// - Throws: errors of `JSONEncoder`.
  public func json() throws -> Data { try Self.encoder.encode(self) }

  /// Encodes the value of the defaults for the key `blockedNumbers`.
  /// - Throws: errors of `JSONEncoder`.
  public func blockedNumbersValue() throws -> Data { try Self.encoder.encode(blockedNumbers) }

  /// Encodes the value of the defaults for the key `identifiedNumbers`.
  /// - Throws: errors of `JSONEncoder`.
  public func identifiedNumbersValue() throws -> Data { try Self.encoder.encode(identifiedNumbers) }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension PersonalList {
  /// Creates the list that a mirror shows. When a number occurs twice, which the plugin's example allows, the later
  /// change counts, and of two changes at the same time the later row.
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
