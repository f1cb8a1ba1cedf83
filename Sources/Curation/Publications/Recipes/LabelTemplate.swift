/// A label with places to fill: `{category}`, `{name}`, `{heat}`, `{evidence}`.
///
/// What is empty disappears with the text around it: `{category} · {name}` is `Survey` for a number
/// without a name.
public struct LabelTemplate: Sendable, Equatable {
  /// What can be filled in.
  public enum Field: String, Sendable, CaseIterable {
    /// The category's name in the recipe's language.
    case category
    /// The directory's name of the number.
    case name
    /// Present complaints, rounded, two leading digits at most, so that labels do not change every night.
    case heat
    /// Complaints in the long run, rounded in the same way.
    case evidence
  }

  /// The rule that a template breaks.
  public enum Problem: Error, Equatable {
    /// It is empty, or has more than ``mostBytes`` bytes.
    case length
    /// It has a control character.
    case controlCharacter
    /// A brace has no partner.
    case unpairedBrace
    /// It names a field that is none of ``Field``.
    case unknownField(String)
  }

  /// The most bytes of a template.
  public static let mostBytes = 200

  enum Part: Sendable, Equatable {
    case text(String)
    case field(Field)
  }

  /// As it was written.
  public let source: String
  let parts: [Part]

  /// `{category}`
  public static let category = LabelTemplate(source: "{category}", parts: [.field(.category)])
  /// `{name}`
  public static let name = LabelTemplate(source: "{name}", parts: [.field(.name)])

  private init(source: String, parts: [Part]) {
    self.source = source
    self.parts = parts
  }

  /// Reads a template.
  /// - Throws: ``Problem`` for a brace without its partner, an unknown field, a control character, or no text at all.
  public init(_ source: String) throws(Problem) {
    guard !source.isEmpty, source.utf8.count <= Self.mostBytes else { throw .length }
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

  /// Whether it can be filled for a number that nobody complained about.
  public var fitsDirectory: Bool { parts.contains(.field(.name)) }

  /// Whether it says the same for every number of a category.
  public var isByCategory: Bool { parts.allSatisfy { $0 != .field(.name) && !$0.isFigure } }

  /// The template with the fields that have a value.
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

  /// A figure with two leading digits at most: 7, 42, 130.
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
