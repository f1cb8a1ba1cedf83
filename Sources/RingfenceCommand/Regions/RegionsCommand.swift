// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Importing
import PhoneNumbers
import Storage

struct RegionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions", abstract: "Manage regions, which are parts of countries given by prefixes.",
    subcommands: [Load.self, List.self, Of.self])

  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace all regions by the regions of a file.",
      discussion: """
        Each line has a region, a prefix and a name, separated by tabs. The longest matching prefix applies. Countries \
        are built in. Resources/regions-us.tsv has the area codes of the United States.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "File to load.")
    var file: String

    func run() async throws {
      let regions = try RegionFile.read(contentsOf: file)
      try await database.open { context in
        try await context.stores.regions.replace(with: regions)
      }
      let prefixes = regions.reduce(0) { $0 + $1.prefixes.count }
      print("\(TextFormat.grouped(regions.count, "region")) with \(TextFormat.grouped(prefixes, "prefix", "prefixes"))")
      print(
        "Recipes with split: regions name their packs after regions: the next publication has packs of other names. See "
          + "them with: ringfence recipes show")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the loaded regions, separated by tabs: region, prefixes, name.")

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "Also list countries.")
    var countries = false

    func run() async throws {
      let regions = try await database.open { context in
        try await context.stores.regions.regions()
      }
      for region in regions {
        print("\(region.code)\t\(region.prefixes.map(String.init).joined(separator: " "))\t\(region.name)")
      }
      guard countries else { return }
      let prefixes = Dictionary(grouping: RegionMap.countryPrefixList, by: \.region)
      for code in RegionMap.countries.regions {
        print("\(code)\t\((prefixes[code] ?? []).map { String($0.prefix) }.joined(separator: " "))\tcountry")
      }
    }
  }

  struct Of: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the region of a number.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "Number in international form, such as +12125550123.")
    var number: String

    func run() async throws {
      let digits: Int64
      do {
        digits = try PhoneNumber(parsing: number, region: nil).digits
      } catch {
        throw CommandFailure.failed(
          "\(number.prefix(40)) is not a number in international form. Write it as +12125550123.")
      }
      let map = try await database.open { context in
        try await context.stores.regions.map()
      }
      guard let region = map.region(of: digits) else {
        throw CommandFailure.failed(
          "+\(digits) is in no region. List the regions with: ringfence regions list --countries")
      }
      print(region)
    }
  }
}
