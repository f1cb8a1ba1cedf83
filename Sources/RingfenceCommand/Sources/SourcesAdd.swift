// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import CallerPack
public import Curation
import Fetching
import Foundation
import Importing
import PackCommands
import HTTPServer
import PhoneNumbers
import Storage

struct SourcesAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a list of the catalog, or at an address: a server downloads it.",
    discussion: """
      `ringfence sources catalog` lists public lists. The name of one is sufficient: its address, format, weight, ceiling \
      and limits come from the catalog, and each option replaces a value. On a terminal, the command reads the list first \
      and asks what to do with its numbers; Enter labels them all. --ceiling or --yes answers the question; without a \
      terminal, the values of the catalog apply: of ftc-rolling, numbers with three complaints are blocked, and the others \
      labeled. A list alone blocks no toll-free or other number that belongs to no place, unless --block-shared says so.

      Formats of lists, whose numbers are withdrawn when the list no longer contains them: csv (rows with a header, \
      separated by commas, semicolons, vertical bars or tabs), ftc-rolling, spamblocker-csv, spamblocker-xml, phoneblock, \
      saracroche (patterns become rules for ranges), vcard. Formats of dated complaints, which \
      decay: ftc-csv, ftc-tsv, jsonl. Gzip and xz files are decompressed. The format ringfence is a pack that another \
      Ringfence server publishes with evidence: --url is the address of its publications, and --key and --pack are \
      required.

      An entry of a list counts as much as WEIGHT complaints. It does not decay while the list contains the number. The \
      ceiling is the strongest action that the source can trigger alone: nothing, review, identify or block. The command \
      names a weight, a limit or a ceiling that cannot have an effect, and a value that would. It also reads the list, and \
      says which rows are rejected.

      With --preview the list is read and nothing is saved: the command shows which numbers a publication made now would \
      list, put up for review and lose. For an existing source, --url and --format may be left out, and the preview \
      shows the effect of the other options, such as --ceiling. A list with stored complaints, such as an imported one \
      or a source of complaints, has no preview.

      Examples: ringfence sources add ftc-rolling
      ringfence sources add dnc --url https://HOST/90.csv --format ftc-rolling --weight 4 --ceiling identify
      ringfence sources add own --url https://HOST/list.csv --format csv --number-column phone --category "Scam=fraud"
      ringfence sources add friends --url https://HOST/v1 --format ringfence --key root.json --pack blocklist
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the list, 1 to 80 characters.")
  var name: String

  @Option(help: "Address of the file, http or https. Redirects to another server are refused.")
  var url: String?

  @Option(help: "Format of the file.")
  var format: SourceFormat?

  @Option(
    help: .value("time", "Time between two downloads, such as 30s, 30m, 6h or 1d. Default: 6h, and 30s for ringfence."))
  var every: String?

  @Option(help: "Complaints that an entry counts as, 0 to 10.")
  var weight: Double?

  @Option(help: .value("count", "Entries about a number that are needed to enter the list."))
  var complaints: Int?

  @Option(help: .value("count", "Entries about a number that are needed to block it; with fewer it is identified."))
  var blockComplaints: Int?

  @OptionGroup var shared: SharedNumbersOption

  @Option(help: .value("count", "Different days with entries that are needed to enter the list, 1 to 64."))
  var days: Int?

  @Option(
    help: .value(
      "treatment",
      "The strongest action that the source can trigger alone: nothing, review, identify or block. Default: the ceiling of "
        + "the catalog, otherwise review."))
  var ceiling: SourceCeiling?

  @Option(
    help: .value("column", "Column of the number: a name, or a position from 1 in a file without a header."))
  var numberColumn: String?

  @Option(help: .value("column", "Column, or attribute in XML, with the category."))
  var categoryColumn: String?

  @Option(help: "Element of XML with the number. Default: n.")
  var element: String?

  @Option(help: "Attribute of that element with the number. Default: its text.")
  var attribute: String?

  @Option(help: .value("code", "Country of numbers in national form (ISO 3166, such as DE)."))
  var region: String?

  @Option(help: .value("code", "Country whose numbers are read; can be repeated. Default: all."))
  var country: [String] = []

  @Option(
    help: .value(
      "text=category",
      "Category of a text in the list; can be repeated. * is every other text, and the category none leaves entries "
        + "out."))
  var category: [String] = []

  @Option(help: "File with the key that the list's server asks for. It is read at each download.", completion: .file())
  var keyFile: String?

  @Option(help: "For ringfence: trusted public key, a file with it, or a root.json.", completion: .file())
  var key: String?

  @Option(help: "For ringfence: pack whose evidence is read.")
  var pack: String?

  @Option(
    help: .value(
      "reporters",
      "For ringfence: minimum number of reporters. With 0, numbers that a moderator's decision, few reporters or another "
        + "list has listed are taken too. Default: \(SourceOptions.usualStrength)."))
  var minStrength: Int?

  @Option(help: "License of the list.")
  var license: String?

  @Option(
    help: .value(
      "percent",
      "Entries that a complete list may add, or remove, in percent of 100 or more former ones, 1 to 1000. Default: 50.")
  )
  var maxChange: Int?

  @Flag(help: "Ask nothing.")
  var yes = false

  @Flag(help: "Show the effect and save nothing.")
  var preview = false

  @Flag(help: "With --preview, print JSON.")
  var json = false

  @OptionGroup var audit: AuditOption

  func validate() throws {
    try checkName(name)
    guard name != SourceRule.everyListName else {
      throw ValidationError("The rule for all lists has the name \(name). Choose another name.")
    }
    guard preview || !json else { throw ValidationError("--json is an option of --preview.") }
    if let url {
      guard SourceSubscriptions.isAddress(url) else {
        throw ValidationError(
          "--url is not valid. Use http or https without a password and fragment, at most "
            + "\(Source.Settings.maxURLBytes) bytes.")
      }
      guard keyFile == nil || URL(string: url).flatMap({ WebOrigin($0) })?.isPrivate == true else {
        throw ValidationError("A key is not sent over unencrypted HTTP to another machine. Use an https address.")
      }
    }
    if let every, SourceFormat.allCases.allSatisfy({ SourceSubscriptions.interval(every, of: format ?? $0) == nil }) {
      throw ValidationError(
        "--every \(every) is not a time from \(format == .ringfence ? "30s" : "5m") to 31d. Use a number with s, m, h or "
          + "d, such as 6h.")
    }
    try check(maxChange, "--max-change", in: ChangeLimit.percents)
    try validateSubscription()
    if let format, format.hasComplaints || format == .ringfence {
      guard region == nil, numberColumn == nil, categoryColumn == nil else {
        throw ValidationError(
          "--region, --number-column and --category-column are not for \(format.rawValue), whose fields are fixed. Leave "
            + "them out.")
      }
    }
    if let format, format != .csv, numberColumn != nil {
      throw ValidationError(
        "--number-column is for csv: the place of the number in \(format.rawValue) is fixed. Leave it out, or pass "
          + "--format csv.")
    }
    guard category.isEmpty || format?.hasComplaints != true else {
      throw ValidationError("--category is not for lists of complaints, whose categories are fixed. Leave it out.")
    }
    try check(complaints, "--complaints", in: SourceRule.range(of: "enter.complaints"))
    try check(blockComplaints, "--block-complaints", in: SourceRule.range(of: "block.complaints"))
    try check(days, "--days", in: SourceRule.range(of: "enter.days"))
    try check(weight, "--weight", in: SourceRule.range(of: "weight"))
    try checkLength(license, "--license", in: 1...Source.Settings.maxLicense)
    for code in country + [region].compactMap({ $0 }) where !PhoneRegion.isSupported(code) {
      throw ValidationError("\(code) is not a country with phone numbers. Use two letters, such as DE.")
    }
    _ = try categories
  }

  private func validateSubscription() throws {
    guard format == .ringfence else {
      guard key == nil, pack == nil, minStrength == nil else {
        throw ValidationError("--key, --pack and --min-strength are for the format ringfence. Leave them out.")
      }
      return
    }
    guard key != nil, let pack, Manifest.isName(pack) else {
      throw ValidationError("The format ringfence requires --key and --pack, the name of a pack of the other server.")
    }
    guard let url, UpdateSource(url) != nil else {
      throw ValidationError("--url is not valid. Use the address of the publications, such as https://HOST/v1.")
    }
    try check(minStrength, "--min-strength", in: 0...1_000)
  }

  func run() async throws {
    try await database.open(as: audit, makes: !preview) { context in
      let former = try await context.stores.sources.source(named: name)
      let listed =
        former == nil ? try SourceCatalog.read(resources: context.installation.resources).entry(named: name) : nil
      guard listed?.needsKey != true || keyFile != nil else {
        throw ValidationError("The server of \(name) asks for a key. Pass a file with it: --key-file.")
      }
      guard preview else { return try await add(former, listed, in: context) }
      try await show(former, listed, in: context)
    }
  }

  private func add(_ former: Source?, _ listed: SourceCatalog.Entry?, in context: CommandContext) async throws {
    let there = CommandFailure.failed(
      "There is a source named \(name). Remove it with: ringfence sources remove \"\(name)\"")
    guard former == nil else { throw there }
    guard listed != nil || (url != nil && format != nil) else {
      throw ValidationError("Set --url and --format. A list of `ringfence sources catalog` needs neither.")
    }
    var settings = try settings(listed?.settings)
    let texts = try context.installation.englishTexts()
    do {
      var (rule, isRead) = (rule(listed), false)
      if let listed, ceiling == nil, blockComplaints == nil, !yes, Question.isPossible {
        isRead = true
        switch try await answer(settings, listed, context) {
        case .label: settings.ceiling = min(settings.ceiling, .identify)
        case .catalog: break
        case .block: (settings.ceiling, rule.blockComplaints) = (.block, 1)
        }
      }
      if settings.format.protects {
        try await checkFreed(settings, context)
      } else if !isRead {
        try await noteRejected(settings, texts, context)
      }
      let subscriptions = SourceSubscriptions(stores: context.stores)
      let set = try await context.stores.thresholds.current()
      for problem in settings.ineffective(nil, rule, in: set) {
        print("Note: \(texts.message("sources.ineffective", problem))")
      }
      guard try await subscriptions.add(settings, rule: rule, by: audit.actor, at: Date()) else { throw there }
    } catch AppError.nameTaken {
      throw CommandFailure.failed(
        "The list \(name) has complaints that were imported by hand. They would get the rule and the ceiling of the "
          + "source. Choose another name.")
    } catch let problem as ThresholdProblem {
      throw CommandFailure.failed("\(try Localizer.commandLine().message(problem)) Nothing was saved.")
    } catch let failure as SourceFailure {
      throw CommandFailure.failed(texts.message("sources.failure", failure))
    }
    print(
      "Added \(name) with the ceiling \(settings.ceiling.rawValue). \(Question.effect(of: settings)) A running server downloads it now, and then every "
        + "\(Source.Settings.text(ofInterval: settings.every)).")
  }

  /// Reads the list, and says how many of its rows are rejected, or why it cannot be read.
  private func noteRejected(_ settings: Source.Settings, _ texts: Localizer, _ context: CommandContext) async throws {
    do {
      let previewer = try context.feedPreviewer()
      let rejected = try await previewer.withClient {
        try await previewer.rejected(of: settings, by: $0, at: Date())
      }
      note(rejected)
    } catch let failure as SourceFailure {
      // A detail of the operating system has no full stop.
      let reason = texts.message("sources.failure", failure)
      print("Note: The list cannot be read now. \(reason)\(reason.hasSuffix(".") ? "" : ".") A server tries again.")
    }
  }

  private func note(_ rejected: RejectedRows) {
    if let report = rejected.report { print("Note: \(report)") }
    if rejected.exceedsThird { print("More than a third of the rows is rejected. Check the format and its options.") }
  }

  /// Reads a list that protects numbers, and says how many listed ones it would free.
  private func checkFreed(_ settings: Source.Settings, _ context: CommandContext) async throws {
    let previewer = try context.feedPreviewer()
    let preview = try await previewer.withClient { try await previewer.preview(settings, by: $0, at: Date()) }
    let entries = TextFormat.count(preview.entries, "number or pattern", "numbers and patterns")
    print(
      "\(entries), \(preview.rejected.count) refused. Listed numbers that would no longer be listed: \(preview.lost).")
    if let report = preview.rejected.report { print(report) }
    guard preview.lost == 0 || yes else {
      throw CommandFailure.failed("Nothing was saved. If that is right, pass --yes.")
    }
  }

  /// Reads a list and asks what it does with its numbers.
  private func answer(
    _ settings: Source.Settings, _ listed: SourceCatalog.Entry, _ context: CommandContext
  ) async throws -> Question.Answer {
    let previewer = try context.feedPreviewer()
    let preview = try await previewer.withClient { [rule = rule(listed)] in
      try await previewer.preview(settings, rule: rule, by: $0, at: Date())
    }
    note(preview.rejected)
    return try Question.answer(preview, listed)
  }

  private func rule(_ listed: SourceCatalog.Entry?) -> SourceRuleChange {
    let usual = listed?.rule ?? SourceRuleChange()
    return SourceRuleChange(
      weight: weight ?? usual.weight, complaints: complaints ?? usual.complaints, days: days ?? usual.days,
      blockComplaints: blockComplaints ?? usual.blockComplaints, blocksShared: shared.isBlocking)
  }

  private func show(_ former: Source?, _ listed: SourceCatalog.Entry?, in context: CommandContext) async throws {
    guard former != nil || listed != nil || (url != nil && format != nil) else { throw CommandFailure.noSource(name) }
    let (settings, previewer) = (try settings(former?.settings ?? listed?.settings), try context.feedPreviewer())
    do {
      let preview = try await previewer.withClient { [rule = rule(listed)] in
        try await previewer.preview(settings, rule: rule, by: $0, at: Date())
      }
      print(json ? try CommandJSON.text(preview) : preview.text)
    } catch let failure as SourceFailure {
      let texts = try context.installation.englishTexts()
      throw CommandFailure.failed("Cannot read \(name): \(texts.message("sources.failure", failure))")
    }
  }

  /// - Parameter former: the settings of the source or of the catalog, for options that are not set.
  private func settings(_ former: Source.Settings?) throws -> Source.Settings {
    guard let url = url ?? former?.url, let format = format ?? former?.format else {
      throw CommandFailure.noSource(name)
    }
    var options = former?.options ?? SourceOptions()
    (options.numberColumn, options.categoryColumn) = (
      numberColumn ?? options.numberColumn, categoryColumn ?? options.categoryColumn
    )
    (options.element, options.attribute) = (element ?? options.element, attribute ?? options.attribute)
    options.region = region.flatMap { PhoneRegion($0)?.code } ?? options.region
    if !country.isEmpty { options.countries = country.compactMap { PhoneRegion($0)?.code } }
    options.keyFile = keyFile.map { URL(filePath: $0).standardizedFileURL.path } ?? options.keyFile
    if former?.format != format { options.categories = format.usualCategories }
    options.categories.merge(try categories) { $1 }
    if format == .ringfence {
      if let key { try trust(key, in: &options) }
      options.pack = pack ?? options.pack
      options.minStrength = minStrength ?? options.minStrength ?? SourceOptions.usualStrength
    }
    return Source.Settings(
      name: name, url: url, format: format,
      every: every.flatMap { SourceSubscriptions.interval($0, of: format) } ?? former?.every ?? format.usualInterval,
      options: options, ceiling: format.protects ? .nothing : ceiling ?? former?.ceiling ?? .review,
      license: license ?? former?.license,
      maxChange: maxChange ?? former?.maxChange ?? ChangeLimit.usualPercent,
      isPublic: former?.isPublic ?? false)
  }

  /// Sets the key or root that signs another server's publications.
  private func trust(_ key: String, in options: inout SourceOptions) throws {
    (options.trustedKey, options.trustedRoot) = (nil, nil)
    switch try TrustedKey(key) {
    case .key(let key): options.trustedKey = key.base64
    case .root(let file):
      do {
        _ = try TrustAnchor.root(checking: file)
      } catch {
        throw PackFailure(.refused(error))
      }
      options.trustedRoot = file.base64EncodedString()
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
        guard slug == SourceOptions.skipped || ReportCategory(slug: slug)?.isToxic == true else {
          let known = ReportCategory.allCases.filter(\.isToxic).map(\.slug).joined(separator: ", ")
          throw ValidationError("There is no category \(slug). Use one of: \(known), \(SourceOptions.skipped).")
        }
        found[String(text[..<equals])] = slug
      }
      return found
    }
  }
}

extension SourceFormat: ExpressibleByArgument {}
extension SourceCeiling: ExpressibleByArgument {}
