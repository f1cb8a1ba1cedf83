// SPDX-License-Identifier: Apache-2.0

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
  /// The value of an argument; nil for an unknown name.
  public init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }
  /// The names that an argument may have.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The name of a default value in help.
  public var defaultValueDescription: String { name }
  /// Empty, because the names need no description.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension PackProfile: ExpressibleByArgument {
  /// The value of an argument; nil for an unknown name.
  public init?(argument: String) {
    guard let profile = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = profile
  }
  /// The names that an argument may have.
  public static var allValueStrings: [String] { allCases.map(\.name) }
  /// The name of a default value in help.
  public var defaultValueDescription: String { name }
  /// Empty, because the names need no description.
  public static var allValueDescriptions: [String: String] { [:] }
}

extension ListFormat: ExpressibleByArgument {}
extension ExportOptions.NumberPrefix: ExpressibleByArgument {}
extension ExportOptions.OverLimit: ExpressibleByArgument {}
extension LiveCallerIDOptions.Database: ExpressibleByArgument {}
extension LiveCallerIDOptions.Category: ExpressibleByArgument {}
