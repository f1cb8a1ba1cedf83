import ArgumentParser
import Curation
import Foundation
import Localization
import PhoneNumbers
import Publishing
import Storage

/// `ringfence revoke`
struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take a number out of every pack now, without waiting for the night.",
    discussion: """
      A running server makes the publication within seconds; without one, or with --now, this command makes it. It \
      differs from the last one in this number alone, and comes with deltas. No later publication holds the number either, \
      not even under a directory's name, until ringfence decide --undo takes the revocation back. To leave its name in the \
      directory, allow it instead: ringfence decide --allow --urgent.

        ringfence revoke +12015550123 --reason "The owner has appealed" --by Ada
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: PublicationOptions

  @Argument(help: "The number with its plus.")
  var number: String

  @Option(help: "Why, at most 500 characters; whoever looks the number up reads it.")
  var reason: String

  @Option(help: "Who says so, at most 80 characters.")
  var by: String

  @Option(help: "Put the number in instead, under this category, such as fraud.")
  var add: String?

  @Option(help: "With --add: what a phone shows instead of the category.")
  var label: String?

  @Flag(help: "Make the publication here and now, instead of leaving it to a running server.")
  var now = false

  @Option(help: "Wait at most so many seconds for a server to publish.")
  var wait = 60

  func validate() throws {
    guard (1...500).contains(reason.count) else { throw ValidationError("--reason has 1 to 500 characters.") }
    guard (1...80).contains(by.count) else { throw ValidationError("--by has 1 to 80 characters.") }
    guard label == nil || add != nil else { throw ValidationError("--label goes with --add.") }
    guard (1...100).contains(label?.count ?? 1) else { throw ValidationError("--label has 1 to 100 characters.") }
    if let add, ReportCategory(slug: add)?.isToxic != true {
      let slugs = ReportCategory.allCases.filter(\.isToxic).map(\.slug)
      throw ValidationError("There is no category \(add) to list under. They are \(slugs.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    let phone: PhoneNumber
    let decision: Decision
    do {
      phone = try PhoneNumber(parsing: number, region: nil)
      decision = try Decision(
        number: phone.digits, treatment: add == nil ? .allow : .block, label: label,
        category: add.flatMap(ReportCategory.init(slug:)), reason: reason, decidedBy: by, decidedAt: Date())
    } catch let error as PhoneNumberError {
      throw CommandFailure(description: "\(number) is no phone number with its plus: \(error)", exitCode: 2)
    } catch let problem as RuleViolation {
      throw CommandFailure(description: try Localizer.commandLine().message(problem), exitCode: 2)
    }
    guard var revocation = Revocation(carryingOut: decision) else { throw CommandFailure.failed("Nothing to change.") }
    if add == nil { revocation.action = .remove }
    let request = revocation
    let settings = try database.settings(options.given)
    let (policy, recipes) = (try settings.policy, try settings.recipes)
    try await CommandContext.open(settings, owns: false, logger: .quiet) { context in
      do {
        _ = try await context.stores.decisions.record(decision)
      } catch let error as DecisionError {
        throw try CommandFailure.refused(error)
      }
      try await context.stores.publications.request(request)
      let outcome = try await settle(request, context, policy: policy, recipes: recipes)
      guard let serial = outcome.serial else {
        let texts = try context.installation.englishTexts()
        throw CommandFailure.failed(
          outcome.failure.map { texts.message("publications.revocation", $0) } ?? "The revocation was not carried out.")
      }
      print("\(phone.formatted(.international)) is \(add == nil ? "out of" : "in") publication \(serial)")
    }
  }

  /// Waits for a server, and does it here when there is none.
  private func settle(
    _ revocation: Revocation, _ context: CommandContext, policy: PublicationPolicy, recipes: String?
  ) async throws -> RevocationOutcome {
    let end = ContinuousClock.now + .seconds(wait)
    // A server looks every two seconds; after five nobody is there, or somebody is at it.
    var isHere = now
    var patience = ContinuousClock.now + .seconds(5)
    while true {
      if let outcome = try await context.stores.publications.outcome(of: revocation.id), outcome.settledAt != nil {
        return outcome
      }
      if isHere || ContinuousClock.now > patience {
        do {
          _ = try await context.publisher(
            policy: policy, recipes: recipes, logger: .quiet
          ).publishRevocations(at: Date())
          continue
        } catch PublishingError.busy {
          isHere = false
          patience = ContinuousClock.now + .seconds(2)
        }
      }
      guard ContinuousClock.now < end else {
        throw CommandFailure.failed(
          "Nobody has published within \(wait) seconds. It stays asked for: the next server or revoke does it.")
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }
}
