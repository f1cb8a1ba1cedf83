/// What a template sees under a name. What is not there has no value: the name is looked for further out, and where nobody
/// has it nothing is shown.
public enum TemplateValue: Sendable, Equatable {
  /// Shown as a variable, escaped for HTML; a section of it is shown once, even when the text is empty.
  case text(String)
  /// A section of it is shown, or not. As a variable it is `true` or `false`.
  case flag(Bool)
  /// A section of it is shown once for each item.
  case list([TemplateValue])
  /// Names and their values. A section of it is shown once, and sees the names.
  case record(TemplateRecord)

  /// Whether the test `empty(NAME)` holds: for an empty text and an empty list.
  var isEmpty: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .list(let items): items.isEmpty
    case .flag, .record: false
    }
  }
}

/// Names and their values, in the order in which they were given. Pages have few names a record, so looking one up goes
/// through them: no hash pays below some thirty.
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
  /// A record.
  /// - Parameter elements: names and their values; of a name that stands twice the first counts.
  public init(dictionaryLiteral elements: (String, TemplateValue)...) {
    self = .record(TemplateRecord(fields: elements.map { TemplateRecord.Field(name: $0.0, value: $0.1) }))
  }
}
