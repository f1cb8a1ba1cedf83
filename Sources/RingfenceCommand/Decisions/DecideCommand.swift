// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Storage
import Support

struct DecideCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Block, identify or allow a number, or the numbers of a file, whatever their reports say.",
    discussion: """
      A decision takes effect with the next publication and ends a hold. --allow upholds an open appeal and removes the \
      number from the published packs; its reason is the answer to the owner. To reject an appeal, see ringfence appeals \
      answer. All decisions stay in the history. --undo undoes \
      the current decision and restores the one before it. When a decision with --expires has expired, the one before \
      it is in force again. A decision that answers an appeal does not expire.
      --file decides the rows of a CSV file with a header, or of JSON Lines: number, decision, label, category, reason, \
      note, expires_days. Each row obeys the rules of single decisions; numbers with an open appeal, a decision in \
      force or a case about a range are wrong rows. A file that was interrupted continues when the command runs again, \
      and --file FILE --undo undoes all of it. --by or --by-program is required.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Number in international form, such as +33199000248, or in national form with --region.")
  var number: String?

  @Option(help: "Country of a number in national form: two letters, such as FR.")
  var region: String?

  @OptionGroup(title: "Files") var file: DecideFileOptions

  @Flag(help: "Add the number to packs that block and to packs that identify.")
  var block = false

  @Option(help: .value("label", "Add the number with this label to packs that identify."))
  var identify: String?

  @Flag(help: "Never block the number or label it as a nuisance; a directory name stays. See also: ringfence revoke.")
  var allow = false

  @Flag(help: "With --allow or --block: publish this change now.")
  var urgent = false

  @Flag(help: "Undo the current decision, or all decisions of the file.")
  var undo = false

  @Option(help: "With --block: label that phones show instead of the category.")
  var label: String?

  @Option(help: "Category, such as fraud; leave it out for a name without a category.")
  var category: String?

  @Option(
    help: """
      Reason, shown to everyone who looks up the number. Required to block or identify, and to allow a number that is \
      held, listed, appealed or reported by many.
      """)
  var reason: String?

  @Option(help: "Private note for moderators.")
  var note: String?

  @Option(help: .value("days", "Days until the decision expires: 30, 90 or 365. Default: never."))
  var expires: String?

  @OptionGroup var audit: AuditOption

  func validate() throws {
    if file.file != nil {
      guard number == nil, !block, identify == nil, !allow, !urgent else {
        throw ValidationError("With --file, the number and the decision are in the file. Leave them out.")
      }
      guard region == nil else {
        throw ValidationError(
          "--region is for one number. Write the numbers of a file in international form, with a plus.")
      }
      return try audit.checkIsGiven()
    }
    try file.checkAbsence()
    try audit.checkIsGiven()
    guard [block, identify != nil, allow, undo].count(where: { $0 }) == 1 else {
      throw ValidationError("No decision, or more than one. Pass one of --block, --identify LABEL, --allow or --undo.")
    }
    if let category, ReportCategory(slug: category) == nil {
      throw ValidationError(
        "There is no category \(category). Use one of: \(ReportCategory.allCases.map(\.slug).joined(separator: ", ")).")
    }
    guard !urgent || allow || block else { throw ValidationError("--urgent needs --allow or --block.") }
    guard !undo || expires == nil else { throw ValidationError("--expires needs --block, --identify or --allow.") }
    if !undo { _ = try decision(at: Date()) }
  }

  func run() async throws {
    if let path = file.file {
      return try await database.open(as: audit) { try await file.run(path, isUndo: undo, by: audit, $0) }
    }
    let number = try digits
    try await database.open(as: audit) { context in
      print(try await undo ? takeBack(number, context) : decide(context))
    }
  }

  private var digits: Int64 {
    get throws {
      guard let number else { throw ValidationError("No number. Pass a NUMBER, or --file FILE.") }
      do {
        return try PhoneNumber(parsing: number, region: region).digits
      } catch {
        throw ValidationError("NUMBER: \(error)")
      }
    }
  }

  private func decision(at time: Date) throws -> Decision {
    do {
      return try Decision(
        number: digits, treatment: block ? .block : allow ? .allow : .identify, label: identify ?? label,
        category: category.flatMap { ReportCategory(slug: $0) }, reason: reason, note: note, decidedBy: audit.name,
        decidedAt: time, expiresAt: try Decision.expiry(afterDays: expires, from: time))
    } catch let problem as RuleViolation {
      throw ValidationError(try Localizer.commandLine().message(problem))
    }
  }

  private func decide(_ context: CommandContext) async throws -> String {
    let decision = try decision(at: Date())
    do {
      _ = try await context.moderation.decisions.record(decision)
    } catch let problem as RuleViolation where problem.code == .rangeOpen {
      let range = try await context.stores.ranges.rules(containing: decision.number)
        .first { $0.state == .proposed }?.range.text
      throw CommandFailure.failed(
        "The case of +\(decision.number) asks about the range \(range ?? ""). Decide the range first, with: "
          + "ringfence prefixes approve \(range ?? "RANGE"), or ringfence prefixes reject \(range ?? "RANGE").")
    }
    if urgent, let revocation = Revocation(carryingOut: decision) {
      try await context.stores.publications.request(revocation)
      return "+\(decision.number): \(decision.treatment.rawValue). A running server publishes it within seconds."
    }
    return "+\(decision.number): \(decision.treatment.rawValue), from the next publication on."
  }

  private func takeBack(_ number: Int64, _ context: CommandContext) async throws -> String {
    let store = context.stores.decisions
    guard let current = try await store.standing(of: number) else {
      throw CommandFailure.failed(
        "There is no current decision on +\(number). Show its history with: ringfence decisions +\(number)")
    }
    _ = try await context.moderation.decisions.undo(
      current.decisionID, of: number, reason: reason, decidedBy: audit.name, at: Date())
    let now = try await store.standing(of: number)
    return "+\(number): \(current.treatment.rawValue) is undone; "
      + (now.map { "the decision before it applies again: \($0.treatment.rawValue)." } ?? "its reports apply again.")
  }
}

struct DecisionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decisions", abstract: "List all decisions on a number, oldest first.",
    discussion:
      """
      Prints one line per decision, separated by tabs: time, name, decision, label, category, reason, note, ID, expiry.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var subject: NumberOptions

  func run() async throws {
    let number = try subject.digits
    let history = try await database.open { context in
      try await context.stores.decisions.history(of: number)
    }
    for event in history { print(event.line) }
  }
}

extension DecisionEvent {
  fileprivate var line: String {
    var what = name
    if case .undo(let undone) = kind { what += " \(undone.uuidString.lowercased())" }
    return [
      Timestamp.format(time), decidedBy, what, label ?? "", category?.slug ?? "", reason ?? "",
      // Browsers end lines with CR LF, which is one character.
      String((note ?? "").map { $0.isNewline || $0 == "\t" ? " " : $0 }), id.uuidString.lowercased(),
      expiresAt.map { Timestamp.format($0) } ?? "",
    ].joined(separator: "\t")
  }
}
