// SPDX-License-Identifier: Apache-2.0

/// The value of a name in a template. A missing name is looked up in the enclosing records; if none has it, nothing is
/// shown.
public enum TemplateValue: Sendable, Equatable {
  /// As a variable shown escaped for HTML; a section is shown once, even if the text is empty.
  case text(String)
  /// A section is shown if true. As a variable it is `true` or `false`.
  case flag(Bool)
  /// A section is shown once for each item.
  case list([TemplateValue])
  /// A section is shown once, and its names are visible in it.
  case record(TemplateRecord)

  /// The result of the test `empty(NAME)`: true for an empty text and an empty list.
  var isEmpty: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .list(let items): items.isEmpty
    case .flag, .record: false
    }
  }
}

/// Names and values in their original order. A lookup is a linear search, which is faster than a hash below about 30
/// names.
public struct TemplateRecord: Sendable, Equatable {
  struct Field: Sendable, Equatable {
    let name: String
    let value: TemplateValue
  }

  var fields: [Field] = []

  subscript(name: String) -> TemplateValue? {
    for field in fields where field.name == name { return field.value }
    return nil
  }
}

extension TemplateValue: ExpressibleByDictionaryLiteral {
  /// Creates a record.
  /// - Parameter elements: names and values; for a repeated name the first value is used.
  public init(dictionaryLiteral elements: (String, TemplateValue)...) {
    self = .record(TemplateRecord(fields: elements.map { TemplateRecord.Field(name: $0.0, value: $0.1) }))
  }
}

/// A value that provides its own template value, for frequent values of a page. The containers of generated encodings
/// take five times as long.
public protocol TemplateValueConvertible: Encodable {
  /// Equal to the result of ``TemplateValue/init(encoding:)``.
  var templateValue: TemplateValue { get }
}

extension Array: TemplateValueConvertible where Element: TemplateValueConvertible {
  /// A list.
  public var templateValue: TemplateValue { .list(map { $0.templateValue }) }
}
