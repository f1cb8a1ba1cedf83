// SPDX-License-Identifier: Apache-2.0

/// The value of a name in a template. A missing name is looked up in the enclosing records; if none has it, nothing is
/// shown.
package enum TemplateValue: Sendable, Equatable {
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

/// Names and values in their original order, written as a dictionary literal:
/// `["name": account.name, "roles": roles, "isOwn": true]`. A lookup is a linear search, which is faster than a hash
/// below about 30 names.
package struct TemplateRecord: Sendable, Equatable {
  private struct Field: Sendable, Equatable {
    let name: String
    let value: TemplateValue
  }

  private var fields: [Field]

  /// - Parameter fields: for a repeated name the first value is used.
  package init(_ fields: some Sequence<(String, any TemplateValueConvertible)>) {
    self.fields = fields.map { Field(name: $0.0, value: $0.1.templateValue) }
  }

  package subscript(name: String) -> TemplateValue? {
    for field in fields where field.name == name { return field.value }
    return nil
  }

  /// The further fields replace fields of the same name.
  package func adding(_ more: TemplateRecord) -> TemplateRecord {
    var record = more
    record.fields += fields
    return record
  }
}

extension TemplateRecord: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, any TemplateValueConvertible)...) { self.init(elements) }
}

/// A value that a record may contain.
package protocol TemplateValueConvertible {
  var templateValue: TemplateValue { get }
}

extension TemplateRecord: TemplateValueConvertible {
  package var templateValue: TemplateValue { .record(self) }
}

extension String: TemplateValueConvertible {
  package var templateValue: TemplateValue { .text(self) }
}

extension Bool: TemplateValueConvertible {
  package var templateValue: TemplateValue { .flag(self) }
}

extension TemplateValueConvertible where Self: BinaryInteger {
  /// The decimal digits without separators.
  package var templateValue: TemplateValue { .text("\(self)") }
}

extension Int: TemplateValueConvertible {}
extension Int16: TemplateValueConvertible {}
extension Int32: TemplateValueConvertible {}
extension Int64: TemplateValueConvertible {}

extension Array: TemplateValueConvertible where Element: TemplateValueConvertible {
  package var templateValue: TemplateValue { .list(map(\.templateValue)) }
}

extension Optional: TemplateValueConvertible where Wrapped: TemplateValueConvertible {
  /// The value itself; an empty list for nil, so that a section is not shown.
  package var templateValue: TemplateValue { map(\.templateValue) ?? .list([]) }
}
