// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Publishing
import Storage
import Support

/// `ringfence prefixes`
struct RangesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefixes", abstract: "Manage rules for ranges: prefixes and blocks of numbers with one treatment.",
    discussion: """
      A range is +33199* (all numbers of the country with these first digits), +33199xxxxxx (x is any digit), or \
      +33199000000-+33199000499 (from the first number to the last).
      Publications list all numbers of an approved rule, except protected, decided and held ones and those that a \
      directory names. Where rules overlap, the one with fewer numbers applies, then one that allows, then the newer one. \
      Rules that block more than 1,000,000 numbers need the approval of another account.
      """,
    subcommands: [
      Add.self, Import.self, List.self, Remove.self, Of.self, Approve.self, Reject.self, Detect.self,
    ], aliases: ["ranges"])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add rules, or replace rules of the same ranges.")

    @OptionGroup var values: RangeRuleOptions

    @Argument(help: "Ranges such as +33199*.")
    var ranges: [String]

    func validate() throws { _ = try rules() }

    func run() async throws { try await values.add(try rules()) }

    private func rules() throws -> [RangeRule] { try ranges.map { try values.rule($0) } }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the rules of a file: a range per line, optionally with a reason after a tab.",
      discussion: """
        Lines that begin with # are comments. A wrong line is named, and nothing is changed. The name of a file in \
        Resources/Prefixes without its ending, such as fr-arcep, is enough: these are prefixes of regulators.
        """)

    @OptionGroup var values: RangeRuleOptions

    @Argument(help: "File with ranges.", completion: .file())
    var file: String

    func validate() throws { try values.checkValues() }

    func run() async throws {
      let installed = try Installation.find(try values.database.settings()).resources + "/Prefixes/\(file).txt"
      let path = file.contains("/") || !FileManager.default.fileExists(atPath: installed) ? file : installed
      guard let data = FileManager.default.contents(atPath: path), data.count <= 64 << 20,
        let text = String(data: data, encoding: .utf8)
      else {
        throw CommandFailure.unreadable(
          "Cannot read \(file) as UTF-8 text of at most 64 MB. Check its name and permissions, or convert the file.")
      }
      var rules: [RangeRule] = []
      for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
        let columns = line.split(separator: "\t", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = columns.first, !first.isEmpty, !first.hasPrefix("#") else { continue }
        do {
          rules.append(try values.rule(first, reason: columns.count > 1 ? columns[1] : nil))
        } catch let error as ValidationError {
          throw CommandFailure.failed("\(file), line \(index + 1): \(error.message) Nothing was changed.")
        }
      }
      guard !rules.isEmpty else {
        throw CommandFailure.failed("\(file) has no range. Write one per line, such as +33199*.")
      }
      try await values.add(rules)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: """
        List rules, separated by tabs: range, state, treatment, category, label, numbers, numbers with complaints, heat, \
        source, names, valid from and until, reason.
        """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "List only rules with this state: proposed, approved or rejected.")
    var state: String?

    func validate() throws {
      guard state.map({ RangeRule.State(rawValue: $0) != nil }) ?? true else {
        throw ValidationError("There is no state \(state ?? ""). Use proposed, approved or rejected.")
      }
    }

    func run() async throws {
      let rules = try await database.open { context in
        try await context.named(try await context.stores.ranges.rules(state.flatMap { RangeRule.State(rawValue: $0) }))
      }
      for rule in rules { print(rule) }
    }
  }

  struct Of: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the rules that contain a number, as in `prefixes list`; the one that applies is the first.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    func run() async throws {
      let number = try subject.digits
      try await database.open { context in
        let rules = try await context.stores.ranges.rules(containing: number)
        for rule in try await context.named(rules) { print(rule) }
        if rules.isEmpty { print("No rule contains +\(number).") }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove rules. Their numbers leave with the next publication.")

    @OptionGroup var selection: RangeSelection

    func run() async throws {
      try await selection.run { context, rules, audit in
        let count = try await context.moderation.ranges.remove(
          rules, by: audit.actor, reason: selection.reason, at: Date())
        print("\(count) removed.")
      }
    }
  }

  struct Approve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Approve rules: list their numbers from the next publication on.")

    @OptionGroup var selection: RangeSelection

    func run() async throws { try await selection.decide(isApproved: true) }
  }

  struct Reject: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Reject rules: do not list them, or propose them again.")

    @OptionGroup var selection: RangeSelection

    func run() async throws { try await selection.decide(isApproved: false) }
  }

  struct Detect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Find ranges with complaints about many numbers, and propose them. The server does this every hour.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let found = try await database.open { try await $0.stores.ranges.detect(at: Date()) }
      for range in found { print(range.text) }
      if found.isEmpty { print("No new ranges. List all with: ringfence prefixes list") }
    }
  }
}

struct RangeRuleOptions: ParsableArguments {
  @OptionGroup var database: DatabaseOptions

  @OptionGroup var country: RegionOption

  @Flag(help: "Name the numbers in packs that identify, and do not block them.")
  var identify = false

  @Flag(help: "Take the numbers out of rules with more numbers.")
  var allow = false

  @Option(help: "Category, such as telemarketing. Default: other.")
  var category: String?

  @Option(help: "Label that phones show instead of the category.")
  var label: String?

  @Option(help: "Reason, shown to everyone who looks up a number. Required except with --allow.")
  var reason: String?

  @Option(help: .value("time", "Time from which the rules are in force (RFC 3339). Default: now."))
  var from: String?

  @Option(help: .value("time", "Time at which the rules end (RFC 3339). Default: never."))
  var until: String?

  @Flag(help: "Show the effect, and save nothing.")
  var dryRun = false

  @OptionGroup var audit: AuditOption

  /// Checks all values but the range, which may have a reason of its own.
  func checkValues() throws { _ = try rule("+33199*", reason: reason ?? "-") }

  /// - Parameter reason: of this rule; nil for the common one.
  /// - Throws: `ValidationError`.
  func rule(_ text: String, reason: String? = nil) throws -> RangeRule {
    guard !identify || !allow else { throw ValidationError("Pass --identify or --allow, not both.") }
    if let category, ReportCategory(slug: category)?.isToxic != true {
      let known = ReportCategory.allCases.filter(\.isToxic).map(\.slug).joined(separator: ", ")
      throw ValidationError("There is no category \(category). Use one of: \(known).")
    }
    let (start, end) = (try time(from, "--from"), try time(until, "--until"))
    if let end, end <= start ?? Date() { throw ValidationError("--until is not after --from. Pass a later time.") }
    do {
      return try RangeRule(
        RangePattern(international(text), plan: .current), treatment: identify ? .identify : allow ? .allow : .block,
        category: category.flatMap { ReportCategory(slug: $0) } ?? .other, label: label, reason: reason ?? self.reason,
        validFrom: start, validUntil: end, proposedBy: audit.name, at: Date())
    } catch let violation as RangeViolation {
      throw ValidationError(try Localizer.commandLine().message("ranges.rule", violation))
    } catch let violation as RuleViolation {
      throw ValidationError(try Localizer.commandLine().message(violation))
    }
  }

  /// A mask in national form in international form; any other text as it is.
  private func international(_ text: String) -> String {
    do throws(PhoneNumberError) {
      _ = try PhoneNumber(parsing: text, region: country.region)
      return text
    } catch {
      return error.mask ?? text
    }
  }

  private func time(_ text: String?, _ option: String) throws -> Date? {
    guard let text else { return nil }
    guard let time = Timestamp.parse(text) else {
      throw ValidationError("\(option) \"\(text)\" is not an RFC 3339 time. Write it as 2027-01-31T00:00:00Z.")
    }
    return time
  }

  /// Shows the effect of rules and saves them.
  func add(_ rules: [RangeRule]) async throws {
    try await database.open(as: audit) { context in
      let effect = try await context.moderation.ranges.preview(rules)
      let counts = effect.counts
      print(
        """
        \(TextFormat.count(rules.count, "rule")), \(TextFormat.count(counts.numbers, "number")): \(counts.reported) with reports, \
        \(counts.listed) listed already. Left out: \(counts.protected) protected, \(counts.allowed) allowed, \
        \(counts.decided) decided otherwise, \(counts.held) held, \(counts.named) named by a directory.
        """)
      let preview = RangePreview(store: context.stores.publications, folder: context.publicationFolder)
      let file = Recipe.file(
        named: try database.settings().recipes, data: context.folder.path, installation: context.installation)
      for change in try await preview.changes(by: rules, recipes: try Recipe.read(from: file), at: Date()) {
        let leftOut = change.leftOut > 0 ? ", no room for \(change.leftOut)" : ""
        print("  \(change.pack): \(change.added) added, \(change.removed) removed\(leftOut)")
      }
      guard !dryRun else { return print("Nothing was saved.") }
      let saved = try await context.moderation.ranges.add(rules, by: audit.actor, at: Date())
      print(
        saved.first?.state == .approved
          ? "Saved. The next publication applies the rules."
          : """
          Proposed: the rules block more than \(RangeRule.maxUnreviewed) numbers. Another account must approve them: \
          ringfence prefixes approve --proposed-by \(quoted(audit.name)) --by ACCOUNT
          """)
    }
  }
}

struct RangeSelection: ParsableArguments {
  @OptionGroup private var database: DatabaseOptions

  @Argument(help: "Ranges as shown by `prefixes list`, such as +3319900024x.")
  var ranges: [String] = []

  @Option(help: .value("name", "All rules of this source."))
  var source: String?

  @Option(help: .value("name", "All proposed rules that this account has added."))
  var proposedBy: String?

  @OptionGroup var audit: AuditOption

  @Option(help: "Reason for the audit log.")
  var reason: String?

  func validate() throws {
    guard !ranges.isEmpty || source != nil || proposedBy != nil else {
      throw ValidationError("No range. Pass one as shown by `prefixes list`, --source or --proposed-by.")
    }
  }

  /// - Parameter body: receives the rules; there is at least one.
  func run(_ body: (CommandContext, [RangeRule], AuditOption) async throws -> Void) async throws {
    try await database.open(as: audit) { context in
      var appID = RangeRule.noSource
      if let source {
        guard let found = try await context.stores.sources.source(named: source) else {
          throw CommandFailure.failed("There is no source \(source). List all with: ringfence sources list")
        }
        appID = found.id
      }
      let all = try await context.stores.ranges.rules(of: appID)
      let texts = Set(ranges.map { (try? RangePattern($0, plan: .current).text) ?? $0 })
      let rules = all.filter { rule in
        (texts.isEmpty || texts.contains(rule.range.text))
          && (proposedBy == nil || rule.state == .proposed && rule.proposedBy == proposedBy)
      }
      if let missing = texts.subtracting(rules.map(\.range.text)).min() {
        throw CommandFailure.failed("There is no rule for \(missing). List all with: ringfence prefixes list")
      }
      guard !rules.isEmpty else {
        throw CommandFailure.failed("There is no such rule. List all with: ringfence prefixes list")
      }
      do { try await body(context, rules, audit) } catch let violation as RuleViolation {
        throw CommandFailure.failed(try Localizer.commandLine().message(violation))
      }
    }
  }

  func decide(isApproved: Bool) async throws {
    try await run { context, rules, audit in
      try await context.moderation.ranges.decide(
        rules, isApproved: isApproved, by: audit.actor, reason: reason, at: Date())
      for rule in rules.prefix(20) { print("\(rule.range.text): \(isApproved ? "approved" : "rejected").") }
      if rules.count > 20 { print("\(rules.count - 20) more.") }
    }
  }
}

extension CommandContext {
  /// The lines of rules in lists.
  fileprivate func named(_ rules: [RangeRule]) async throws -> [String] {
    let names = try await stores.ranges.sourceNames(of: rules)
    let now = Date()
    return rules.map { rule in
      [
        rule.range.text, rule.state.rawValue, rule.treatment.rawValue, rule.category.slug, rule.label ?? "",
        String(rule.range.size), String(rule.members),
        String(format: "%.1f", Decay.heat.value(ofStoredSum: rule.heat, at: now)), names[rule.appID] ?? "",
        [rule.proposedBy, rule.decidedBy].compactMap(\.self).joined(separator: ", "),
        [rule.validFrom, rule.validUntil].map { $0.map { Timestamp.format($0) } ?? "" }.joined(separator: "/"),
        rule.reason ?? "",
      ].joined(separator: "\t")
    }
  }
}
