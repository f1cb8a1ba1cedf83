import ArgumentParser
import Curation
import Foundation
import Localization
import Storage

/// `ringfence decide`
struct DecideCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide", abstract: "Decide what is to be done with a number; reports have no say in it from then on.",
    discussion: """
      A decision takes effect with the next publication and settles a hold. Every decision stays in the history; --undo takes \
      the one that stands back, and the one before it stands again.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var subject: NumberOptions

  @Flag(help: "Packs that block and packs that identify hold it.")
  var block = false

  @Option(help: ArgumentHelp("Packs that identify hold it under this label.", valueName: "label"))
  var identify: String?

  @Flag(help: "No pack blocks it or names it as a nuisance; a directory may name it. See also: ringfence revoke.")
  var allow = false

  @Flag(help: "With --allow or --block: publish this one change now instead of with the next night.")
  var urgent = false

  @Flag(help: "Take the decision that stands back.")
  var undo = false

  @Option(help: "What a phone shows for a number that is blocked, instead of the category's label.")
  var label: String?

  @Option(help: "What the number is: fraud, robocall, …; leave it out for a mere name.")
  var category: String?

  @Option(help: "Why, for everybody who looks the number up. Needed to block or identify.")
  var reason: String?

  @Option(help: "For moderators alone.")
  var note: String?

  @Option(help: "Who decides.")
  var by: String

  func validate() throws {
    guard [block, identify != nil, allow, undo].count(where: { $0 }) == 1 else {
      throw ValidationError("Say one of --block, --identify LABEL, --allow and --undo.")
    }
    if let category, ReportCategory(slug: category) == nil {
      throw ValidationError("--category is one of: \(ReportCategory.allCases.map(\.slug).joined(separator: ", ")).")
    }
    guard !urgent || allow || block else { throw ValidationError("--urgent goes with --allow or --block.") }
    if !undo { _ = try decision(at: Date()) }
  }

  func run() async throws {
    let number = try subject.digits
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      do {
        print(try await undo ? takeBack(number, context.stores.decisions) : decide(context))
      } catch let error as DecisionError {
        throw try CommandFailure.refused(error)
      }
    }
  }

  private func decision(at time: Date) throws -> Decision {
    do {
      return try Decision(
        number: subject.digits, treatment: block ? .block : allow ? .allow : .identify, label: identify ?? label,
        category: category.flatMap { ReportCategory(slug: $0) }, reason: reason, note: note, decidedBy: by,
        decidedAt: time)
    } catch let problem as RuleViolation {
      throw ValidationError(try Localizer.commandLine().message(problem))
    }
  }

  private func decide(_ context: CommandContext) async throws -> String {
    let decision = try decision(at: Date())
    _ = try await context.stores.decisions.record(decision)
    if urgent, let revocation = Revocation(carryingOut: decision) {
      try await context.stores.publications.request(revocation)
      return "+\(decision.number): \(decision.treatment.rawValue). A running server publishes it within seconds."
    }
    return "+\(decision.number): \(decision.treatment.rawValue), from the next publication on."
  }

  private func takeBack(_ number: Int64, _ store: DecisionStore) async throws -> String {
    guard let standing = try await store.standing(of: number) else {
      throw CommandFailure.failed("No decision about +\(number) stands. See: ringfence decisions +\(number)")
    }
    do {
      _ = try await store.undo(standing.decisionID, of: number, reason: reason, decidedBy: by, at: Date())
    } catch let problem as RuleViolation {
      throw CommandFailure.failed(try Localizer.commandLine().message(problem))
    }
    let now = try await store.standing(of: number)
    return "+\(number): \(standing.treatment.rawValue) is undone; "
      + (now.map { "the decision before it stands again: \($0.treatment.rawValue)." } ?? "its reports decide again.")
  }
}
