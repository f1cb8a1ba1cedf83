// SPDX-License-Identifier: Apache-2.0

public import Curation
import Foundation
public import Storage
import Yams

/// The public lists of `Resources/sources.yaml`, from which a source is added by its name alone.
public struct SourceCatalog: Sendable, Decodable {
  /// A public list with the values that make it useful.
  public struct Entry: Sendable, Decodable {
    private enum CodingKeys: String, CodingKey {
      case name, country, url, format, region, countries, key, every, weight, ceiling, complaints, days, rows, license
      case about
      case numberColumn = "number_column"
      case blockComplaints = "block_complaints"
    }

    public let name: String
    /// ISO 3166 code of the numbers, or `world`.
    public let country: String
    private let url: String
    private let format: SourceFormat
    private let region: String?
    private let countries: [String]?
    private let numberColumn: String?
    private let key: Bool?
    /// Time between two downloads, such as `1d`.
    public let every: String
    private let weight: Double
    /// The strongest action that the list can trigger alone.
    public let ceiling: SourceCeiling
    private let complaints: Int
    private let days: Int
    /// Rows of the list, about; nil where that is not known.
    public let rows: Int?
    /// As the owner of the list states it.
    public let license: String
    /// Origin and content.
    public let about: String

    /// Rows about a number from which it may be blocked; nil where one is sufficient.
    public let blockComplaints: Int?

    public var needsKey: Bool { key ?? false }

    public var settings: Source.Settings {
      var options = SourceOptions()
      (options.region, options.countries, options.numberColumn) = (region, countries ?? [], numberColumn)
      options.categories = format.usualCategories
      return Source.Settings(
        name: name, url: url, format: format,
        every: SourceSubscriptions.interval(every, of: format) ?? format.usualInterval, options: options,
        ceiling: ceiling, license: license)
    }

    public var rule: SourceRuleChange {
      SourceRuleChange(weight: weight, complaints: complaints, days: days, blockComplaints: blockComplaints)
    }
  }

  /// The lists, in the order of the file.
  public let sources: [Entry]

  /// - Parameter resources: the folder with `sources.yaml`.
  public static func read(resources: String) throws -> SourceCatalog {
    let data = try Data(contentsOf: URL(filePath: "\(resources)/sources.yaml"))
    return try YAMLDecoder().decode(Self.self, from: data)
  }

  public func entry(named name: String) -> Entry? { sources.first { $0.name == name } }
}
