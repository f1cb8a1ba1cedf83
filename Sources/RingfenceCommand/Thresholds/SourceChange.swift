// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Storage

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

extension SourceRule {
  /// The list's name.
  func name(among lists: [App]) -> String {
    appID == Self.everyList ? Self.everyListName : lists.first { $0.id == appID }?.name ?? "app \(appID)"
  }
}
