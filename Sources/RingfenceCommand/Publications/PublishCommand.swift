// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CallerPack
import Curation
import Foundation
import Publishing
import Timestamps

/// `ringfence publish`
struct PublishCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish", abstract: "Make a publication: packs, deltas and a signed manifest.",
    discussion: """
      All data comes from one snapshot of the database. A publication becomes visible after it passes these gates: \
      readable, order, cap, protected, non-empty, size, churn. If a gate fails, the previous publication stays in place \
      and the exit code is 4. You can overrule non-empty, size and churn:

        ringfence publish --overrule churn --reason "First publication with the new list" --by Ada
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var options: PublicationOptions

  @Option(
    help: .value("entries", "Maximum entries of a pack, 1 to 1999999; a lower limit of the recipe still applies."))
  var top = Recipe.mostEntries

  @Option(help: .value("time", "Evaluate numbers and date the publication as of this time (RFC 3339). Default: now."))
  var at: String?

  @Option(help: "Serial of the publication. Default: the next one. A used serial is refused.")
  var serial: Int64?

  @Flag(help: "Allow a time in --at so early that the publication has already expired.")
  var reproduce = false

  @Option(help: .value("gate", "Gate to overrule: non-empty, size or churn; can be repeated."))
  var overrule: [String] = []

  @Option(help: "Reason for overruling; required with --overrule.")
  var reason: String?

  @Option(help: .value("name", "Name for the audit log; required with --overrule."))
  var by: String?

  func validate() throws {
    guard (1...Recipe.mostEntries).contains(top) else { throw ValidationError("--top is \(top). Use 1 to 1999999.") }
    guard serial ?? 1 >= 1 else { throw ValidationError("--serial is \(serial ?? 0). Use 1 or more.") }
    try validateOverrules()
    guard let at else { return }
    guard let time = Timestamp.parse(at) else {
      throw ValidationError("--at \"\(at)\" is not an RFC 3339 time. Write it as 2020-12-31T00:00:00Z.")
    }
    guard Decay.heat.scale(at: time).isNormal else {
      throw ValidationError("--at \(at) is out of range. Use a time from 1992 to 2068.")
    }
  }

  private func validateOverrules() throws {
    for name in overrule {
      guard let gate = Gate(rawValue: name) else {
        throw ValidationError(
          "There is no gate \(name). Use one of: \(Gate.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      guard gate.canBeOverruled else {
        throw ValidationError(
          "The gate \(name) cannot be overruled: phones would reject the publication, or it would break the law.")
      }
    }
    if let by { try AuditOption.check(by) }
    let isWhole = (1...1_000).contains(reason?.count ?? 0) && by != nil
    guard overrule.isEmpty || isWhole else {
      throw ValidationError("--overrule needs --reason (1 to 1000 characters) and --by (1 to 80 characters).")
    }
  }

  func run() async throws {
    let overrules = overrule.compactMap(Gate.init(rawValue:)).map {
      PublicationRequest.Overrule(gate: $0, reason: reason ?? "", by: by ?? "")
    }
    let settings = try Settings(of: self)
    let publication = try PublicationConfiguration(settings)
    let time = at.flatMap(Timestamp.parse) ?? Date()
    try validateLifetime(from: time, to: time + publication.policy.lifetime)
    try await CommandContext.open(settings, owns: false, logger: .quiet) { context in
      let request = PublicationRequest(time: time, serial: serial, overrules: overrules)
      print(try await context.publish(request, publication, top: top))
    }
  }

  private func validateLifetime(from time: Date, to end: Date) throws {
    guard let at, !reproduce, end <= Date() || time >= Date() + 86_400 else { return }
    throw CommandFailure(
      description: """
        The publication of --at \(at) would have expired at \(Timestamp.format(end)), so clients would reject it. Leave \
        --at out, or add --reproduce to make it all the same.
        """, exitCode: 2)
  }
}
