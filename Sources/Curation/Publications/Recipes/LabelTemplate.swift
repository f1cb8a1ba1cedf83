// SPDX-License-Identifier: Apache-2.0

/// A label template with the fields `{category}`, `{name}`, `{heat}`, `{evidence}`.
///
/// An empty field disappears with the text around it: `{category} · {name}` is `Survey` for a number without a name.
public struct LabelTemplate: Sendable, Equatable {
  public enum Field: String, Sendable, CaseIterable {
    /// The category's name in the recipe's language.
    case category
    /// The directory's name of the number.
    case name
    /// Present complaints, rounded to at most two leading digits, so that labels do not change in every publication.
    case heat
    /// Long-term complaints, rounded in the same way.
    case evidence
  }

  /// The rule that a template breaks.
  public enum Problem: Error, Equatable {
    /// It is empty, or has more than ``maxBytes`` bytes.
    case length
    case controlCharacter
    case unpairedBrace
    case unknownField(String)
  }

  public static let maxBytes = 200

  enum Part: Sendable, Equatable {
    case text(String)
    case field(Field)
  }

  public let source: String
  let parts: [Part]

  public static let category = LabelTemplate(source: "{category}", parts: [.field(.category)])
  public static let name = LabelTemplate(source: "{name}", parts: [.field(.name)])

  private init(source: String, parts: [Part]) {
    self.source = source
    self.parts = parts
  }

  /// - Throws: ``Problem`` for an unpaired brace, an unknown field, a control character, or no text at all.
  public init(_ source: String) throws(Problem) {
    guard !source.isEmpty, source.utf8.count <= Self.maxBytes else { throw .length }
    guard !source.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw .controlCharacter
    }
    var parts: [Part] = []
    var rest = source[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw .unpairedBrace
      }
      let name = rest[rest.index(after: brace)..<end]
      guard let field = Field(rawValue: String(name)) else {
        throw .unknownField(String(name))
      }
      if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
      parts.append(.field(field))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.init(source: source, parts: parts)
  }

  /// Whether it can be filled for a number without complaints.
  public var fitsDirectory: Bool { parts.contains(.field(.name)) }

  /// Whether it gives the same label to all numbers of a category.
  public var isByCategory: Bool { parts.allSatisfy { $0 != .field(.name) && !$0.isFigure } }

  /// Fills the fields that have a value.
  public func filled(_ value: (Field) -> String?) -> String {
    var text = ""
    var separator = ""
    var isFilled = true
    for part in parts {
      switch part {
      case .text(let literal): if isFilled || !text.isEmpty { separator += literal }
      case .field(let field):
        let value = value(field) ?? ""
        isFilled = !value.isEmpty
        if isFilled { text += separator + value }
        separator = ""
      }
    }
    return isFilled ? text + separator : text
  }

  /// A figure rounded to at most two leading digits: 7, 42, 130.
  public static func figure(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return "0" }
    var unit: Int64 = 1
    let whole = Int64(min(value, 1e15).rounded())
    while whole / unit >= 100 { unit *= 10 }
    return String((whole + unit / 2) / unit * unit)
  }
}

extension LabelTemplate.Part {
  fileprivate var isFigure: Bool { self == .field(.heat) || self == .field(.evidence) }
}
