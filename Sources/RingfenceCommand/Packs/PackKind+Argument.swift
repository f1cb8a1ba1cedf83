public import ArgumentParser
public import CallerPack
public import PackFormats

extension PackKind {
  /// The kind's name on the command line and in JSON.
  var name: String {
    switch self {
    case .blocking: "blocking"
    case .identification: "identification"
    case .both: "both"
    }
  }
}

extension PackProfile {
  /// The profile's name on the command line and in JSON.
  var name: String {
    switch self {
    case .lean: "lean"
    case .standard: "standard"
    }
  }
}

extension PackKind: ExpressibleByArgument {
  /// The value of an argument, or nil for a word that is none.
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }
  /// The words that an argument may be.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The word that help shows for a default.
  public var defaultValueDescription: String { name }
  /// Nothing: the words speak for themselves.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension PackProfile: ExpressibleByArgument {
  /// The value of an argument, or nil for a word that is none.
  public init?(argument: String) {
    guard let profile = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = profile
  }
  /// The words that an argument may be.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The word that help shows for a default.
  public var defaultValueDescription: String { name }
  /// Nothing: the words speak for themselves.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension ListFormat: ExpressibleByArgument {}
extension ExportOptions.NumberPrefix: ExpressibleByArgument {}
extension ExportOptions.OverLimit: ExpressibleByArgument {}
extension LiveCallerIDOptions.Database: ExpressibleByArgument {}
extension LiveCallerIDOptions.Category: ExpressibleByArgument {}
