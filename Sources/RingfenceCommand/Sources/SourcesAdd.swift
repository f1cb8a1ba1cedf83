// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CallerPack
public import Curation
import Foundation
import Importing
import PhoneNumbers
import Storage

/// `ringfence sources add`
struct SourcesAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a list at an address: a server downloads it at intervals.",
    discussion: """
      Formats of lists, whose numbers are withdrawn when the list no longer contains them: csv (rows with a header, \
      separated by commas, semicolons, bars or tabs), ftc-rolling, spamblocker-csv, spamblocker-xml, phoneblock. \
      Formats of dated complaints, which decay: ftc-csv, ftc-tsv, jsonl. Gzip and xz files are decompressed.

      An entry of a list counts as much as WEIGHT complaints. It is counted again each week while the list contains the \
      number. The ceiling is the most treatment that the source can cause alone: nothing, review, identify or block. \
      Resources/sources.yaml names public lists.

      Examples: ringfence sources add dnc --url https://HOST/90.csv --format ftc-rolling
      ringfence sources add own --url https://HOST/list.csv --format csv --number-column phone --category "Scam=fraud"
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the list, 1 to 80 characters.")
  var name: String

  @Option(help: "Address of the file, http or https. Redirects to another server are refused.")
  var url: String

  @Option(help: "Format of the file.")
  var format: FeedFormat

  @Option(help: ArgumentHelp("Time between two downloads, such as 30m, 6h or 1d.", valueName: "time"))
  var every = "6h"

  @Option(help: "Complaints that an entry counts as, 0 to 10.")
  var weight: Double?

  @Option(help: "The most treatment that the source can cause alone: nothing, review, identify or block.")
  var ceiling = SourceCeiling.review

  @Option(
    help: ArgumentHelp(
      "Column of the number: a name, or a position from 1 in a file without a header.", valueName: "column"))
  var numberColumn: String?

  @Option(help: ArgumentHelp("Column, or attribute in XML, with the category.", valueName: "column"))
  var categoryColumn: String?

  @Option(help: "Element of XML with the number. Default: n.")
  var element: String?

  @Option(help: "Attribute of that element with the number. Default: its text.")
  var attribute: String?

  @Option(help: ArgumentHelp("Country of numbers in national form (ISO 3166, such as DE).", valueName: "code"))
  var region: String?

  @Option(help: ArgumentHelp("Country whose numbers are read; can be repeated. Default: all.", valueName: "code"))
  var country: [String] = []

  @Option(
    help: ArgumentHelp(
      "Category of a text in the list; can be repeated. * is every other text, and the category none leaves entries "
        + "out.", valueName: "text=category"))
  var category: [String] = []

  @Option(help: "File with the key that the list's server asks for. It is read at each download.", completion: .file())
  var keyFile: String?

  @Option(help: "License of the list.")
  var license: String?

  @Option(help: "Name for the audit log, 1 to 80 characters.")
  var by = "operator"

  func validate() throws {
    guard App.isName(name) else {
      throw ValidationError("The name is not valid. Use 1 to 80 characters on one line without control characters.")
    }
    guard (1...80).contains(by.count) else { throw ValidationError("--by has \(by.count) characters. Use 1 to 80.") }
    guard let address = URL(string: url), WebOrigin(address) != nil, address.user == nil, address.fragment == nil,
      url.utf8.count <= SourceFeed.Settings.mostURLBytes
    else {
      throw ValidationError(
        "--url is not valid. Use http or https without a password and fragment, at most "
          + "\(SourceFeed.Settings.mostURLBytes) bytes.")
    }
    guard keyFile == nil || WebOrigin(address)?.isPrivate == true else {
      throw ValidationError("A key is not sent over unencrypted HTTP to another machine. Use an https address.")
    }
    guard let seconds = Self.seconds(every), SourceFeed.Settings.intervals.contains(seconds) else {
      throw ValidationError("--every \(every) is not a time from 5m to 31d. Use a number with m, h or d, such as 6h.")
    }
    if let weight, !(0...10).contains(weight) { throw ValidationError("--weight is \(weight). Use 0 to 10.") }
    if let license, !(1...200).contains(license.count) {
      throw ValidationError("--license has \(license.count) characters. Use 1 to 200.")
    }
    for code in country + [region].compactMap({ $0 }) where !PhoneRegion.isSupported(code) {
      throw ValidationError("\(code) is not a country with phone numbers. Use two letters, such as DE.")
    }
    _ = try categories
  }

  func run() async throws {
    let settings = try settings
    try await CommandContext.open(database, owns: false, makes: true, logger: .quiet) { context in
      try await withAppFailures {
        let now = Date()
        let there = CommandFailure.failed(
          "There is a source named \(name). Remove it with: ringfence sources remove \"\(name)\"")
        guard try await context.stores.feeds.feed(named: name) == nil else { throw there }
        let list = try await context.stores.apps.source(named: name, at: now)
        let event = Actor.commandLine(by).did(
          "source.add", to: name,
          after: ["url": url, "format": format.rawValue, "every": every, "ceiling": ceiling.rawValue])
        // A server may download the source as soon as it is added.
        try await saveRule(of: list, in: context, at: now)
        guard try await context.stores.feeds.add(settings, as: list, at: now, audit: event) else { throw there }
        print("Added \(name). A running server downloads it now, and then every \(every).")
      }
    }
  }

  /// Saves the weight, and for a list that one entry is sufficient: a number has one at most.
  private func saveRule(of list: App, in context: CommandContext, at time: Date) async throws {
    let (former, set) = try await context.stores.thresholds.version(nil)
    var rule = set.rule(ofList: list.id)
    rule.weight = weight ?? rule.weight
    if !format.hasComplaints {
      (rule.enter, rule.leave) = (.init(complaints: 1, days: 1), .init(complaints: 1, days: 1))
    }
    let changed = try ThresholdProblem.told { () throws(ThresholdProblem) in try set.replacing(rule) }
    guard changed != set else { return }
    let reason = "Subscription to \(name)"
    let event = Actor.commandLine(by).did(
      "thresholds.save", to: "thresholds", before: ["version": "\(former.version)"],
      after: ["version": "\(former.version + 1)", "list \(list.id)": "weight \(rule.weight)"], because: reason)
    try await context.stores.thresholds.save(
      changed, after: former.version, by: by, because: reason, at: time, audit: event)
  }

  private var settings: SourceFeed.Settings {
    get throws {
      var options = FeedOptions()
      (options.numberColumn, options.categoryColumn) = (numberColumn, categoryColumn)
      (options.element, options.attribute) = (element, attribute)
      options.region = region.flatMap { PhoneRegion($0)?.code }
      options.countries = country.compactMap { PhoneRegion($0)?.code }
      options.keyFile = keyFile.map { URL(filePath: $0).standardizedFileURL.path }
      options.categories = (format == .phoneBlock ? FeedOptions.phoneBlockCategories : [:])
        .merging(try categories) { $1 }
      return SourceFeed.Settings(
        name: name, url: url, format: format, every: Self.seconds(every) ?? 0, options: options, ceiling: ceiling,
        license: license)
    }
  }

  private var categories: [String: String] {
    get throws {
      var found: [String: String] = [:]
      for text in category {
        guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
          throw ValidationError("--category \(text) is not valid. Use TEXT=CATEGORY, such as Scam=fraud.")
        }
        let slug = String(text[text.index(after: equals)...])
        guard slug == FeedOptions.skipped || ReportCategory(slug: slug)?.isToxic == true else {
          let known = ReportCategory.allCases.filter(\.isToxic).map(\.slug).joined(separator: ", ")
          throw ValidationError("There is no category \(slug). Use one of: \(known), \(FeedOptions.skipped).")
        }
        found[String(text[..<equals])] = slug
      }
      return found
    }
  }

  /// The seconds of a text such as `30m`, `6h` or `1d`; nil for another one.
  static func seconds(_ text: String) -> Int? {
    let units: [Character: Int] = ["m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()), (1...100_000).contains(count)
    else { return nil }
    return count * unit
  }
}

extension FeedFormat: ExpressibleByArgument {}
extension SourceCeiling: ExpressibleByArgument {}
