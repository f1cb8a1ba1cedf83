// SPDX-License-Identifier: Apache-2.0

/// A code with named values. It is stored and passed between layers as one flat JSON object
/// (`{"code": "too_few_entries", "entries": 3, "minimum": 100}`); Localization makes text from it.
public protocol CodedData: Codable, Hashable, Sendable {
  associatedtype Code: RawRepresentable, CaseIterable, Hashable, Sendable where Code.RawValue == String

  /// The message, in snake_case.
  var code: Code { get }
  /// The values of the message by their names in snake_case; no value is named `code`. The suffix of a name gives the
  /// kind: `_percent`, `_bytes`, `_day`, `_category`, `_country`.
  var values: [String: CodedValue] { get }

  init(code: Code, values: [String: CodedValue])
}

/// A value of ``CodedData``.
public enum CodedValue: Hashable, Sendable {
  /// A count, shown with grouped digits.
  case integer(Int64)
  case decimal(Double)
  /// A name, or digits that are not a count: a telephone number, a serial.
  case text(String)
}

extension CodedValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A count.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A count, clamped to 64 bits.
  public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
}

extension CodedValue: Codable {
  /// Reads a number or a text.
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

  /// Writes the value alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    }
  }
}

extension CodedData {
  /// Reads the flat object.
  /// - Throws: `DecodingError` where `code` is missing or not known.
  public init(from decoder: any Decoder) throws {
    var values = try [String: CodedValue](from: decoder)
    guard case .text(let text) = values.removeValue(forKey: "code"), let code = Code(rawValue: text) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(Self.self).unknown_code"))
    }
    self.init(code: code, values: values)
  }

  /// Writes the flat object.
  public func encode(to encoder: any Encoder) throws {
    var object = values
    object["code"] = .text(code.rawValue)
    try object.encode(to: encoder)
  }
}

extension CodedData {
  /// The code with its values, for logs: `too_few_entries entries=3 minimum=100`.
  public var description: String {
    ([code.rawValue] + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.description)" })
      .joined(separator: " ")
  }
}

extension CodedValue: CustomStringConvertible {
  /// The value alone.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .text(let value): value
    }
  }
}
