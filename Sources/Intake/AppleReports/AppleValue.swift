// SPDX-License-Identifier: Apache-2.0

/// A member of the dictionary that an app gives to Apple's reporting extension.
public enum AppleValue: Sendable, Equatable, Decodable {
  /// A text.
  case text(String)
  /// An integer.
  case integer(Int64)
  /// True or false.
  case truth(Bool)
  /// Null.
  case null
  /// Anything else; its content is dropped.
  case other

  /// - Throws: never.
  public init(from decoder: any Decoder) throws {
    guard let container = try? decoder.singleValueContainer() else {
      self = .other
      return
    }
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .truth(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else {
      self = .other
    }
  }

  /// True or false, also as 1, 0 and the usual words; nil for anything else. Null is false.
  var isTrue: Bool? {
    switch self {
    case .truth(let value): value
    case .integer(1): true
    case .integer(0), .null: false
    case .integer, .other: nil
    case .text(let text):
      switch text.lowercased() {
      case "true", "yes", "1": true
      case "false", "no", "0", "": false
      default: nil
      }
    }
  }

  /// A text of at most 200 bytes; nil for anything else.
  var shortText: String? {
    guard case .text(let text) = self, text.utf8.count <= 200 else { return nil }
    return text
  }
}
