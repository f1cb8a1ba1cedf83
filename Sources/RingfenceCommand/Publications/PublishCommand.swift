import ArgumentParser
import CallerPack
import Curation
import Foundation
import Publishing
import Timestamps

/// `ringfence publish`
struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Make a publication: packs, deltas and a signed manifest, visible at once.",
    discussion: """
      Everything comes from one snapshot of the database. Before a publication becomes visible it passes gates: readable, \
      order, cap, protected, non-empty, size, churn. One that fails keeps the publication before in place, and the exit \
      code is 4. An administrator can overrule non-empty, size and churn:

        ringfence publish --overrule churn --reason "First night with the new list" --by Ada
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: PublicationOptions

  @Option(help: "The most numbers in a pack, 1 to 1999999, where that is fewer than its recipe says.")
  var top = Recipe.mostEntries

  @Option(help: "Weigh the numbers as of this time (RFC 3339) instead of now; the publication bears it.")
  var at: String?

  @Option(help: "Take this serial instead of the next; one that was used before is refused.")
  var serial: Int64?

  @Flag(help: "Make the publication of --at all the same when it would have expired, to compare it with another.")
  var reproduce = false

  @Option(help: "A gate to overrule: non-empty, size or churn; may be repeated.")
  var overrule: [String] = []

  @Option(help: "Why the gates are overruled.")
  var reason: String?

  @Option(help: "Who overrules them.")
  var by: String?

  func validate() throws {
    guard (1...Recipe.mostEntries).contains(top) else { throw ValidationError("--top is 1 to 1999999.") }
    guard serial ?? 1 >= 1 else { throw ValidationError("--serial is 1 or more.") }
    try validateOverrules()
    guard let at else { return }
    guard let time = Timestamp.parse(at) else {
      throw ValidationError("--at is an RFC 3339 time, such as 2020-12-31T00:00:00Z.")
    }
    guard Decay.heat.scale(at: time).isNormal else { throw ValidationError("--at lies between 1992 and 2068.") }
  }

  private func validateOverrules() throws {
    for name in overrule {
      guard let gate = Gate(rawValue: name) else {
        throw ValidationError(
          "There is no gate \(name). They are \(Gate.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      guard gate.canBeOverruled else {
        throw ValidationError(
          "The gate \(name) cannot be overruled: a phone, or the law, would not take what it stops.")
      }
    }
    let isWhole = (1...1_000).contains(reason?.count ?? 0) && (1...80).contains(by?.count ?? 0)
    guard overrule.isEmpty || isWhole else {
      throw ValidationError("--overrule needs --reason (at most 1000 characters) and --by (at most 80).")
    }
  }

  func run() async throws {
    let overrules = overrule.compactMap(Gate.init(rawValue:)).map {
      PublicationRequest.Overrule(gate: $0, reason: reason ?? "", by: by ?? "")
    }
    let settings = try database.settings(options.given)
    let (policy, recipes) = (try settings.policy, try settings.recipes)
    let time = at.flatMap(Timestamp.parse) ?? Date()
    try validateLifetime(from: time, to: time + policy.lifetime)
    try await CommandContext.open(settings, owns: false, logger: .quiet) { context in
      let request = PublicationRequest(time: time, serial: serial, overrules: overrules)
      print(try await context.publish(request, policy: policy, recipes: recipes, top: top))
    }
  }

  private func validateLifetime(from time: Date, to end: Date) throws {
    guard let at, !reproduce, end <= Date() || time >= Date() + 86_400 else { return }
    throw CommandFailure(
      description: """
        The publication of --at \(at) would be good until \(Timestamp.format(end)), and readers would refuse it. Leave \
        --at out, or add --reproduce to make it all the same.
        """, exitCode: 2)
  }
}
