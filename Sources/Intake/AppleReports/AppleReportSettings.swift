// SPDX-License-Identifier: Apache-2.0

/// The apps whose reporting extensions and message filters use this server.
public struct AppleReportSettings: Sendable, Equatable {
  /// Identifiers such as `TEAMID1234.org.example.app`, of apps and extensions that report.
  public var reportingApps: [String]
  /// Identifiers of apps and extensions that filter messages; empty refuses their requests.
  public var filteringApps: [String]
  /// The names of members by app; the first map whose number a dictionary has applies.
  public var maps: [AppleFieldMap]

  /// - Parameters:
  ///   - maps: further maps, which precede the built-in ones.
  public init(reportingApps: [String] = [], filteringApps: [String] = [], maps: [AppleFieldMap] = []) {
    self.reportingApps = reportingApps
    self.filteringApps = filteringApps
    self.maps = maps + [.standard, .saracroche]
  }

  /// The map of a dictionary; nil if none has its number.
  public func map(of values: [String: AppleValue]) -> AppleFieldMap? {
    maps.first { values[$0.number] != nil }
  }
}
