import ArgumentParser
import Curation
import Storage

/// Which list's rule is changed, and how; the same for `set` and `preview`.
struct SourceChange: ParsableArguments {
  @Argument(help: "The list's name as it was imported, or default for every list without a rule of its own.")
  var name: String

  @Option(help: "What one row weighs from now on, 0 to 10; rows that are there keep what they weigh.")
  var weight: Double?
  @Option(help: ArgumentHelp("Least rows that complain of a number, for it to be listed.", valueName: "count"))
  var complaints: Int?
  @Option(help: ArgumentHelp("Least distinct days with such rows, for it to be listed, 1 to 64.", valueName: "count"))
  var days: Int?
  @Option(help: ArgumentHelp("Least rows for it to stay listed.", valueName: "count"))
  var leaveComplaints: Int?
  @Option(help: ArgumentHelp("Least distinct days for it to stay listed.", valueName: "count"))
  var leaveDays: Int?

  func validate() throws {
    guard weight != nil || [complaints, days, leaveComplaints, leaveDays].contains(where: { $0 != nil }) else {
      throw ValidationError("Say what to change: --complaints 5.")
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
      throw CommandFailure.failed("There is no imported list \(name). There are: \(names).")
    }
    return list.id
  }
}

extension SourceRule {
  /// What the rule for every list is called on the command line.
  static let everyListName = "default"

  /// The list's name.
  func name(among lists: [App]) -> String {
    appID == Self.everyList ? Self.everyListName : lists.first { $0.id == appID }?.name ?? "app \(appID)"
  }
}
