// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import HTTPServer
import Storage

struct SourcesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sources",
    abstract: "Subscribe to lists; show, preview and change the rules of imported ones.",
    discussion: """
      Entries of a list have no reporters. Each entry has the weight of its list. The number of entries and days of one \
      list replaces the limits for reporters, networks and days; heat, evidence and confidence of the category still \
      apply. The rule "default" is for lists without their own rule. Changes are versions of the thresholds.
      """,
    subcommands: [
      SourcesCatalog.self, SourcesAdd.self, SourcesStatus.self, SourcesRefresh.self, SourcesRemove.self,
      SourcesResume.self,
      SourcesList.self, SourcesSet.self, SourcesPreview.self,
    ])
}

/// The change of a list's rule and ceiling, for `set` and `preview`.
struct SourceChange: ParsableArguments {
  @Argument(help: "Name of the list, or default for all lists without their own rule.")
  var name: String

  @Option(
    help: .value(
      "treatment",
      "The strongest action that a subscribed source can trigger alone: nothing, review, identify or block."))
  var ceiling: SourceCeiling?
  @Option(help: "Weight of entries, 0 to 10; of an imported list, weight of those that are imported from now on.")
  var weight: Double?
  @Option(help: .value("count", "Entries about a number that are needed to enter the list."))
  var complaints: Int?
  @Option(help: .value("count", "Entries about a number that are needed to block it; with fewer it is identified."))
  var blockComplaints: Int?
  @OptionGroup var shared: SharedNumbersOption
  @Option(
    help: .value("count", "Different days with entries that are needed to enter the list, 1 to 64."))
  var days: Int?
  @Option(help: .value("count", "Entries that are needed to stay listed."))
  var leaveComplaints: Int?
  @Option(help: .value("count", "Different days that are needed to stay listed."))
  var leaveDays: Int?

  /// Lowering an entering limit also lowers the leaving limit unless that is given.
  var rule: SourceRuleChange {
    SourceRuleChange(
      weight: weight, complaints: complaints, days: days, leaveComplaints: leaveComplaints, leaveDays: leaveDays,
      blockComplaints: blockComplaints, blocksShared: shared.isBlocking)
  }

  func validate() throws {
    guard ceiling != nil || rule != SourceRuleChange() else {
      throw ValidationError("No change given. Pass at least one option, such as --complaints 5.")
    }
  }

  /// - Parameter lists: all imported lists.
  /// - Throws: ``ThresholdProblem``, or `CommandFailure` for an unknown list.
  func applied(to set: ThresholdSet, lists: [App]) throws -> ThresholdSet {
    try set.replacing(rule.applied(to: set.rule(ofList: try appID(among: lists))))
  }

  private func appID(among lists: [App]) throws -> Int32 {
    if name == SourceRule.everyListName { return SourceRule.everyList }
    guard let list = lists.first(where: { $0.name == name }) else {
      let names = ([SourceRule.everyListName] + lists.map(\.name)).joined(separator: ", ")
      throw CommandFailure.failed("There is no imported list \(name). Use one of: \(names).")
    }
    return list.id
  }

  /// Shows the effect and saves nothing: of a subscribed source from its stored entries.
  func show(_ options: PreviewOptions, in context: CommandContext) async throws {
    guard let source = try await context.stores.sources.source(named: name) else {
      guard ceiling == nil else { throw CommandFailure.noSource(name) }
      let lists = try await context.stores.thresholds.lists()
      return try await context.preview(options) { try applied(to: $0, lists: lists) }
    }
    do {
      let preview = try await context.feedPreviewer().preview(ceiling, rule: rule, of: source, at: Date())
      let rows = preview.figures.map { [$0, "\($1)"] }
      try options.output.print(TextTable(["numbers", "count"], rows), text: preview.text, json: preview)
    } catch let failure as SourceFailure {
      throw CommandFailure.failed(try context.installation.englishTexts().message("sources.failure", failure))
    }
  }
}

struct SourcesSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the ceiling, weight or limits of a list.",
    discussion: """
      A ceiling applies from the next publication on. The weight and limits are saved as a new version of the thresholds; \
      a running server gives the stored entries of a source the new weight at once. With --preview nothing is saved.

      Examples: ringfence sources set ftc-rolling --ceiling block --preview
      ringfence sources set ftc-csv --complaints 5 --days 3 --reason "One-off complaints."
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: SourceChange

  @OptionGroup var audit: AuditOption

  @Option(help: .value("reason", "Reason for the change, 1 to 500 characters."))
  var reason: String?

  @Flag(name: .customLong("preview"), help: "Show the effect and save nothing.")
  var isPreview = false

  @OptionGroup var preview: PreviewOptions

  func validate() throws {
    try checkReason(reason)
  }

  func run() async throws {
    try await database.open(as: audit) { context in
      guard !isPreview else { return try await change.show(preview, in: context) }
      let stores = context.stores
      let source = try await stores.sources.source(named: change.name)
      guard change.ceiling == nil || source != nil else { throw CommandFailure.noSource(change.name) }
      if change.rule != SourceRuleChange() {
        let lists = try await stores.thresholds.lists()
        try await context.save(by: audit.actor, because: reason ?? "Rule of \(change.name)") {
          try change.applied(to: $0, lists: lists)
        }
      }
      guard var settings = source?.settings else { return }
      if let ceiling = change.ceiling {
        _ = try await stores.sources.change(change.name, to: ceiling, by: audit.actor, because: reason, at: Date())
        settings.ceiling = ceiling
        print("The ceiling of \(change.name) is \(ceiling.rawValue). It applies from the next publication on.")
      }
      if change.weight != nil { try await stores.sources.reweigh(change.name, at: Date()) }
      let texts = try context.installation.englishTexts()
      for problem in settings.ineffective(source?.id, SourceRuleChange(), in: try await stores.thresholds.current()) {
        print("Note: \(texts.message("sources.ineffective", problem))")
      }
    }
  }
}

struct SourcesPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show which numbers a change would add and remove; saves nothing.",
    discussion: """
      Takes the options of `ringfence sources set`. Of an imported list, a new weight applies to entries that are imported \
      later: the preview shows only the weight 0, with which the list lists no numbers.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: SourceChange
  @OptionGroup var preview: PreviewOptions

  func run() async throws {
    try await database.open { try await change.show(preview, in: $0) }
  }
}

struct SourcesList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the rules of all imported lists.")

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var output: TableOptions

  func run() async throws {
    try await database.open { context in
      let set = try await context.stores.thresholds.current()
      let lists = try await context.stores.thresholds.lists()
      let rules =
        [set.rule(forSource: SourceRule.everyList)] + lists.map { set.rule(ofList: $0.id) }
      let rows = rules.map { $0.row(lists) }
      try output.print(TextTable(rows), json: rows)
    }
  }
}

extension SourceRule {
  func row(_ lists: [App]) -> TableRow {
    row(("list", .text(appID == Self.everyList ? Self.everyListName : lists.name(of: appID) ?? "app \(appID)")))
  }
}
