import ArgumentParser
import Curation
import Storage

/// Which list's rule is changed, and how; the same for `set` and `preview`.
struct SourceChange: ParsableArguments {
  @Argument(help: "Name of the list, or default for all lists without their own rule.")
  var name: String

  @Option(help: "Weight of entries that are imported from now on, 0 to 10.")
  var weight: Double?
  @Option(help: ArgumentHelp("Entries about a number that are needed to enter the list.", valueName: "count"))
  var complaints: Int?
  @Option(
    help: ArgumentHelp("Different days with entries that are needed to enter the list, 1 to 64.", valueName: "count"))
  var days: Int?
  @Option(help: ArgumentHelp("Entries that are needed to stay listed.", valueName: "count"))
  var leaveComplaints: Int?
  @Option(help: ArgumentHelp("Different days that are needed to stay listed.", valueName: "count"))
  var leaveDays: Int?

  func validate() throws {
    guard weight != nil || [complaints, days, leaveComplaints, leaveDays].contains(where: { $0 != nil }) else {
      throw ValidationError("No change given. Pass at least one option, such as --complaints 5.")
    }
  }

  /// The set with the change. The leaving side follows the entering one down, unless it is given too.
  /// - Parameter lists: the lists there are.
  /// - Throws: ``ThresholdProblem``, or `CommandFailure` for a list that is not there.
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
  /// The name of the rule for all other lists on the command line.
  static let everyListName = "default"

  /// The list's name.
  func name(among lists: [App]) -> String {
    appID == Self.everyList ? Self.everyListName : lists.first { $0.id == appID }?.name ?? "app \(appID)"
  }
}
