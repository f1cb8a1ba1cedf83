import ArgumentParser
import Importing
import PhoneNumbers
import Storage

/// `ringfence regions`
struct RegionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "regions", abstract: "Say which prefixes of numbers make a region; countries are known.",
    subcommands: [Load.self, List.self, Of.self])

  /// `ringfence regions load FILE`
  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put the regions of a file in the place of all there are.",
      discussion: """
        A line a prefix: region, prefix, name, tabs between. The longest prefix of a number counts; countries need no \
        lines. Resources/regions-us.tsv has the area codes of the United States.
        """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The file.")
    var file: String

    func run() async throws {
      let regions = try RegionFile.read(contentsOf: file)
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.regions.replace(with: regions)
      }
      let prefixes = regions.reduce(0) { $0 + $1.prefixes.count }
      print("\(TextFormat.grouped(regions.count)) regions with \(TextFormat.grouped(prefixes)) prefixes")
    }
  }

  /// `ringfence regions list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the loaded regions: region, prefixes, name.")

    @OptionGroup var database: DatabaseOptions

    @Flag(help: "The countries too.")
    var countries = false

    func run() async throws {
      let regions = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
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

  /// `ringfence regions of NUMBER`
  struct Of: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say which region a number lies in.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The number with its plus.")
    var number: String

    func run() async throws {
      let digits: Int64
      do {
        digits = try PhoneNumber(parsing: number, region: nil).digits
      } catch {
        throw CommandFailure.failed("\(number.prefix(40)) is no number with its plus, such as +12125550123.")
      }
      let map = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.regions.map()
      }
      guard let region = map.region(of: digits) else {
        throw CommandFailure.failed("+\(digits) lies in no region.")
      }
      print(region)
    }
  }
}
