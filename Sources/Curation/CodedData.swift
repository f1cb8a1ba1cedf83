// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A message for the reader: a code with named values, such as `too_many_entries` with `entries` and `maximum`. Its JSON
/// is one flat object, `{"code": "too_many_entries", "entries": 3, "maximum": 2}`; Localization makes text from it.
public protocol CodedMessage: Encodable, Hashable, Sendable {
  associatedtype Code: MessageCode

  var code: Code { get }
  /// The values of the message by their names in snake_case; no value is named `code`. The suffix of a name gives the
  /// kind: `_percent`, `_bytes`, `_day`, `_category`, `_country`.
  var values: [String: CodedValue] { get }
}

public protocol MessageCode: CodingKey, CaseIterable, Hashable {}

extension MessageCode {
  /// The code in snake_case, as stored and shown: `too_many_entries`.
  public var name: String { stringValue.snakeCase }
}

extension CodedMessage {
  public func encode(to encoder: any Encoder) throws {
    var object = values
    object["code"] = .text(code.name)
    try object.encode(to: encoder)
  }

  /// The flat object as text, with sorted keys, as stored in the database.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding texts and finite numbers cannot fail.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{\"code\":\"\(code.name)\"}"
  }

  /// The code with its values, for logs: `too_few_entries entries=3 minimum=100`.
  public var description: String {
    ([code.name] + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.description)" })
      .joined(separator: " ")
  }
}

/// A value of a ``CodedMessage``.
public enum CodedValue: Hashable, Sendable {
  /// A count, shown with grouped digits.
  case integer(Int64)
  case decimal(Double)
  /// A name, or digits that are not a count: a telephone number, a serial.
  case text(String)
}

extension CodedValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A count, clamped to 64 bits.
  public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
}

extension CodedValue: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let decimal = try? container.decode(Double.self) {
      self = .decimal(decimal)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    }
  }
}

extension CodedValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .text(let value): value
    }
  }
}
