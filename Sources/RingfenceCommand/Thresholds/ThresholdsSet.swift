// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Localization
import Storage

/// The author and the reason of a threshold change.
struct Authorship: ParsableArguments {
  @Option(help: .value("name", "Name for the audit log, 1 to 80 characters. Default: the signed-in user."))
  var by: String?

  @Option(help: .value("reason", "Reason for the change, 1 to 500 characters."))
  var reason: String

  var name: String { by ?? ProcessInfo.processInfo.environment["LOGNAME"].flatMap { $0.isEmpty ? nil : $0 } ?? "root" }

  func validate() throws {
    try AuditOption.check(name)
    guard (1...500).contains(reason.unicodeScalars.count) else {
      throw ValidationError("--reason has \(reason.unicodeScalars.count) characters. Use 1 to 500.")
    }
  }
}

/// `ringfence thresholds set`
struct ThresholdsSet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Save a change as a new version; it applies from the next publication on.",
    discussion: """
      Example: ringfence thresholds set --category fraud --country DE --enter-heat 1.5 --leave-heat 1 \
      --reason "A wave of fake parcel calls."
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var change: ThresholdChange
  @OptionGroup var authorship: Authorship

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await context.save(authorship) { try change.applied(to: $0) }
    }
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
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      let lists = try await context.stores.thresholds.lists()
      try await context.save(authorship) { try change.applied(to: $0, lists: lists) }
    }
  }
}

extension CommandContext {

  /// Saves the set in force with a change, and prints the new version.
  func save(_ authorship: Authorship, _ change: (ThresholdSet) throws -> ThresholdSet) async throws {
    let (former, set) = try await stores.thresholds.version(nil)
    let changed = try ThresholdProblem.told { try change(set) }
    guard changed != set else { return print("Nothing to change: version \(former.version) already has these values.") }
    let event = Actor.commandLine(authorship.name).did(
      "thresholds.save", to: "thresholds",
      before: ["version": "\(former.version)"].merging(set.told(than: changed)) { $1 },
      after: ["version": "\(former.version + 1)"].merging(changed.told(than: set)) { $1 }, because: authorship.reason)
    let saved = try await stores.thresholds.save(
      changed, after: former.version, by: authorship.name, because: authorship.reason, at: Date(), audit: event)
    print("Saved as version \(saved.version). It applies from the next publication on.")
  }
}

extension ThresholdProblem {
  /// Runs `body` and converts an invalid threshold to a usage failure.
  static func told<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let problem as ThresholdProblem {
      throw CommandFailure.failed("\(try Localizer.commandLine().message(problem)) Nothing was saved.")
    }
  }
}

extension ThresholdSet {
  /// The thresholds that differ from another set, for the audit log.
  fileprivate func told(than other: ThresholdSet) -> [String: String] {
    var told: [String: String] = [:]
    for threshold in thresholds where !other.thresholds.contains(threshold) {
      let name = threshold.country.map { "\(threshold.category.slug) \($0)" } ?? threshold.category.slug
      told[name] = "enter \(threshold.enter.told); leave \(threshold.leave.told); review \(threshold.reviewHeat)"
    }
    for source in sources where !other.sources.contains(source) {
      told["list \(source.appID)"] =
        "weight \(source.weight); enter \(source.enter.complaints) on \(source.enter.days) days; "
        + "leave \(source.leave.complaints) on \(source.leave.days) days"
    }
    return told
  }
}

extension ThresholdLimits {
  fileprivate var told: String {
    "heat \(heat), evidence \(evidence), confidence \(confidence), reporters \(reporters), networks \(networks), "
      + "days \(days)"
  }
}
