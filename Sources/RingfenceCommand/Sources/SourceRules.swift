// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Storage

/// `ringfence sources`
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
      SourcesAdd.self, SourcesStatus.self, SourcesRefresh.self, SourcesRemove.self, SourcesResume.self,
      SourcesList.self, SourcesSet.self, SourcesPreview.self,
    ])
}

/// The change of a list's rule, for `set` and `preview`.
struct SourceChange: ParsableArguments {
  @Argument(help: "Name of the list, or default for all lists without their own rule.")
  var name: String

  @Option(help: "Weight of entries that are imported from now on, 0 to 10.")
  var weight: Double?
  @Option(help: .value("count", "Entries about a number that are needed to enter the list."))
  var complaints: Int?
  @Option(
    help: .value("count", "Different days with entries that are needed to enter the list, 1 to 64."))
  var days: Int?
  @Option(help: .value("count", "Entries that are needed to stay listed."))
  var leaveComplaints: Int?
  @Option(help: .value("count", "Different days that are needed to stay listed."))
  var leaveDays: Int?

  func validate() throws {
    guard weight != nil || [complaints, days, leaveComplaints, leaveDays].contains(where: { $0 != nil }) else {
      throw ValidationError("No change given. Pass at least one option, such as --complaints 5.")
    }
  }

  /// The set with the change. Lowering an entering limit also lowers the leaving limit unless that is given.
  /// - Parameter lists: all imported lists.
  /// - Throws: ``ThresholdProblem``, or `CommandFailure` for an unknown list.
  func applied(to set: ThresholdSet, lists: [App]) throws -> ThresholdSet {
    var rule = set.rule(ofList: try appID(among: lists))
    rule.weight = weight ?? rule.weight
    rule.enter.complaints = complaints ?? rule.enter.complaints
    rule.enter.days = days ?? rule.enter.days
    rule.leave.complaints = leaveComplaints ?? min(rule.leave.complaints, rule.enter.complaints)
    rule.leave.days = leaveDays ?? min(rule.leave.days, rule.enter.days)
    return try set.replacing(rule)
  }

  private func appID(among lists: [App]) throws -> Int32 {
    if name == SourceRule.everyListName { return SourceRule.everyList }
    guard let list = lists.first(where: { $0.name == name }) else {
      let names = ([SourceRule.everyListName] + lists.map(\.name)).joined(separator: ", ")
      throw CommandFailure.failed("There is no imported list \(name). Use one of: \(names).")
    }
    return list.id
  }
}

/// `ringfence sources set`
struct SourcesSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change the rule of a list, as a new version of the thresholds.",
    discussion: "Example: ringfence sources set ftc-csv --complaints 5 --days 3 --reason \"One-off complaints.\"")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: SourceChange
  @OptionGroup var authorship: Authorship

  func run() async throws {
    try await database.open { context in
      let lists = try await context.stores.thresholds.lists()
      try await context.save(authorship) { try change.applied(to: $0, lists: lists) }
    }
  }
}

/// `ringfence sources preview`
struct SourcesPreview: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Show which numbers a change would add and remove; saves nothing.",
    discussion: """
      Takes the options of `ringfence sources set`. A new weight applies to entries that are imported later. The preview \
      shows only the weight 0, with which the list lists no numbers.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: SourceChange
  @OptionGroup var preview: PreviewOptions

  func run() async throws {
    try await database.open { context in
      let lists = try await context.stores.thresholds.lists()
      try await context.preview(preview) { try change.applied(to: $0, lists: lists) }
    }
  }
}

/// `ringfence sources list`
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
    [
      "list": .text(name(among: lists)), "weight": .figure(weight), "enter_complaints": .count(enter.complaints),
      "enter_days": .count(enter.days), "leave_complaints": .count(leave.complaints), "leave_days": .count(leave.days),
    ]
  }

  private func name(among lists: [App]) -> String {
    appID == Self.everyList ? Self.everyListName : lists.first { $0.id == appID }?.name ?? "app \(appID)"
  }
}
