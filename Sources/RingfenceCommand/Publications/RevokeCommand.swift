// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Moderation
import PhoneNumbers
import Publishing
import Storage

struct RevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Remove a number from all packs now.",
    discussion: """
      A running server publishes the change within seconds. Without a server, or with --now, this command publishes it. \
      The publication differs from the last one in this number only, and has deltas. No later publication contains the \
      number, not even with a directory's name, until you undo the revocation with ringfence decide --undo. To keep the \
      directory's name, allow the number instead: ringfence decide --allow --urgent. --by or --by-program is required.

        ringfence revoke +12015550123 --reason "The owner has appealed" --by Ada
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: PublicationOptions

  @Argument(help: "Number in international form, such as +12015550123.")
  var number: String

  @Option(help: "Reason, 1 to 500 characters; shown to everyone who looks up the number.")
  var reason: String

  @OptionGroup var audit: AuditOption

  @Option(help: .value("category", "Add the number under this category instead, such as fraud."))
  var add: String?

  @Option(help: "With --add: label that phones show instead of the category.")
  var label: String?

  @Flag(help: "Publish in this command and do not wait for a server.")
  var now = false

  @Option(help: .value("seconds", "Seconds to wait for a server to publish."))
  var wait = 60

  func validate() throws {
    try checkReason(reason)
    try audit.checkIsGiven()
    guard label == nil || add != nil else {
      throw ValidationError("--label needs --add. Pass --add CATEGORY, or leave --label out.")
    }
    try checkLength(label, "--label", in: 1...TextLimit.label)
    if let add, ReportCategory(slug: add)?.isToxic != true {
      let slugs = ReportCategory.allCases.filter(\.isToxic).map(\.slug)
      throw ValidationError("--add \(add) is not a nuisance category. Use one of: \(slugs.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    let phone: PhoneNumber
    let decision: Decision
    do {
      phone = try PhoneNumber(parsing: number, region: nil)
      decision = try Decision(
        number: phone.digits, treatment: add == nil ? .allow : .block, label: label,
        category: add.flatMap(ReportCategory.init(slug:)), reason: reason, decidedBy: audit.name, decidedAt: Date())
    } catch let error as PhoneNumberError {
      throw CommandFailure(description: "\(number) is not a number in international form. \(error)", exitCode: 2)
    } catch let problem as RuleViolation {
      throw CommandFailure(description: try Localizer.commandLine().message(problem), exitCode: 2)
    }
    guard var revocation = Revocation(carryingOut: decision) else {
      throw CommandFailure.failed("This decision does not change a publication.")
    }
    if add == nil { revocation.action = .remove }
    let request = revocation
    let settings = try Settings(of: self)
    let policy = try PublicationPolicy(settings)
    try await CommandContext.open(settings, as: audit) { context in
      _ = try await context.moderation.decisions.record(decision, revoking: .remove)
      try await context.stores.publications.request(request)
      let outcome = try await settle(request, context, policy)
      guard let serial = outcome.serial else {
        let texts = try context.installation.englishTexts()
        throw CommandFailure.failed(
          outcome.failure.map { texts.message("publications.revocation", $0) }
            ?? "The revocation was not published. Read the server's log.")
      }
      let effect = add == nil ? "not in publication \(serial), nor in later ones" : "in publication \(serial)"
      print("\(phone.formatted(.international)) is \(effect), until its decision is undone")
    }
  }

  /// Waits for a server to carry out the revocation; does it here if no server does.
  private func settle(
    _ revocation: Revocation, _ context: CommandContext, _ policy: PublicationPolicy
  ) async throws -> RevocationOutcome {
    let end = ContinuousClock.now + .seconds(wait)
    // A server checks every two seconds. After five seconds no server is running, or it is busy.
    var isHere = now
    var patience = ContinuousClock.now + .seconds(5)
    while true {
      if let outcome = try await context.stores.publications.outcome(of: revocation.id), outcome.settledAt != nil {
        return outcome
      }
      if isHere || ContinuousClock.now > patience {
        do {
          _ = try await context.publisher(policy, recipes: try context.folder.settings.recipes, logger: .quiet)
            .publishRevocations(at: Date())
          continue
        } catch PublishingError.busy {
          isHere = false
          patience = ContinuousClock.now + .seconds(2)
        }
      }
      guard ContinuousClock.now < end else {
        throw CommandFailure.failed(
          "No server has published within \(wait) seconds. The request is kept. Start a server, or pass --now.")
      }
      try await Task.sleep(for: .milliseconds(200))
    }
  }
}
