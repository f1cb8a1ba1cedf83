// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import PhoneNumbers
import Storage

/// The author and the reason of a threshold change.
struct Authorship: ParsableArguments {
  @OptionGroup var audit: AuditOption

  @Option(help: .value("reason", "Reason for the change, 1 to 500 characters."))
  var reason: String

  func validate() throws { try checkReason(reason) }
}

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
    try await database.open(as: authorship.audit) { context in
      try await context.save(authorship) { try change.applied(to: $0) }
    }
  }
}

extension CommandContext {
  /// Saves the set in force with a change, and prints the new version.
  func save(_ authorship: Authorship, _ change: (ThresholdSet) throws -> ThresholdSet) async throws {
    try await save(by: authorship.audit.actor, because: authorship.reason, change)
  }

  func save(by actor: Actor, because reason: String, _ change: (ThresholdSet) throws -> ThresholdSet) async throws {
    let (former, set) = try await stores.thresholds.version(nil)
    let changed = try ThresholdProblem.told { try change(set) }
    guard changed != set else { return print("Nothing to change: version \(former.version) already has these values.") }
    let saved = try await stores.thresholds.save(
      changed, after: former.version, by: actor, because: reason, at: Date())
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

/// The change of thresholds, for `set` and `preview`.
struct ThresholdChange: ParsableArguments {
  @Option(
    help: .value("slug", "Category to change, such as fraud, or all; can be repeated."))
  var category: [String] = []

  @Option(
    help: .value(
      "code",
      "Change the threshold of one country (ISO 3166, such as DE). A country without its own threshold starts with "
        + "the general one."))
  var country: String?

  @Flag(help: "Remove the country's own threshold; the general one applies again.")
  var remove = false

  @Option(help: .value("heat", "Heat from which a number needs review."))
  var reviewHeat: Double?

  @Option(help: .value("heat", "Heat needed to enter the list (half-life 14 days)."))
  var enterHeat: Double?
  @Option(help: .value("evidence", "Evidence needed to enter the list (half-life 125 days)."))
  var enterEvidence: Double?
  @Option(help: .value("part", "Confidence needed to enter the list, 0 to 1."))
  var enterConfidence: Double?
  @Option(help: .value("count", "Reporters needed to enter the list."))
  var enterReporters: Int?
  @Option(help: .value("count", "Networks needed to enter the list, 0 to 64."))
  var enterNetworks: Int?
  @Option(help: .value("count", "Days with complaints needed to enter the list, 0 to 64."))
  var enterDays: Int?

  @Option(help: .value("heat", "Heat needed to stay listed."))
  var leaveHeat: Double?
  @Option(help: .value("evidence", "Evidence needed to stay listed."))
  var leaveEvidence: Double?
  @Option(help: .value("part", "Confidence needed to stay listed."))
  var leaveConfidence: Double?
  @Option(help: .value("count", "Reporters needed to stay listed."))
  var leaveReporters: Int?
  @Option(help: .value("count", "Networks needed to stay listed."))
  var leaveNetworks: Int?
  @Option(help: .value("count", "Days with complaints needed to stay listed."))
  var leaveDays: Int?

  @OptionGroup(title: "Labels") var labels: LabelChange

  func validate() throws {
    if category.isEmpty, labels.isAny, country == nil, !remove, limits.isEmpty { return }
    guard !category.isEmpty else {
      throw ValidationError("--category is missing. Pass a category such as fraud, or all.")
    }
    for slug in category where slug != "all" && ReportCategory(slug: slug)?.isToxic != true {
      let known = ReportCategory.allCases.filter(\.isToxic).map(\.slug).joined(separator: ", ")
      throw ValidationError("There is no nuisance category \(slug). Use one of: \(known), all.")
    }
    if let country, !PhoneRegion.isSupported(country) {
      throw ValidationError("--country \(country) is not a country with phone numbers. Use two letters, such as DE.")
    }
    guard !remove || country != nil else {
      throw ValidationError("--remove needs --country. Pass the country whose threshold is removed.")
    }
    guard remove != (!limits.isEmpty || labels.isAny) else {
      throw ValidationError(
        remove
          ? "--remove removes the threshold of the country. Leave the limits out."
          : "No change given. Pass at least one limit, such as --enter-heat 3.")
    }
  }

  /// - Throws: ``ThresholdProblem``.
  func applied(to set: ThresholdSet) throws -> ThresholdSet {
    let categories = ReportCategory.allCases.filter { category in
      category.isToxic && (self.category.contains("all") || self.category.contains(category.slug))
    }
    let country = country.flatMap { PhoneRegion($0)?.code }
    return try categories.reduce(try labels.applied(to: set)) { set, category in
      if remove, let country { return try set.removing(category, country: country) }
      guard var threshold = set.threshold(for: category, country: { country }) else { return set }
      threshold.country = country
      for (field, value) in limits { threshold[field: field] = value }
      return try set.replacing(threshold)
    }
  }

  /// The given limits by their fields.
  private var limits: [String: Double] {
    let whole = [
      "enter.reporters": enterReporters, "enter.networks": enterNetworks, "enter.days": enterDays,
      "leave.reporters": leaveReporters, "leave.networks": leaveNetworks, "leave.days": leaveDays,
    ].compactMapValues { $0.map { Double(min(max($0, -1_000_000_000), 1_000_000_000)) } }
    return [
      "review_heat": reviewHeat, "enter.heat": enterHeat, "enter.evidence": enterEvidence,
      "enter.confidence": enterConfidence, "leave.heat": leaveHeat, "leave.evidence": leaveEvidence,
      "leave.confidence": leaveConfidence,
    ].compactMapValues(\.self).merging(whole) { $1 }
  }
}

/// The change of the limits from which reports identify a number that they do not block.
struct LabelChange: ParsableArguments {
  @Option(help: .value("part", "Part of the heat and evidence to enter the list that a label needs, above 0 to 1."))
  var labelHeatShare: Double?
  @Option(help: .value("count", "Independent reporters needed for a label, 2 to 64."))
  var labelReporters: Int?
  @Option(help: .value("count", "Networks needed for a label, 2 to 64."))
  var labelNetworks: Int?
  @Option(help: .value("count", "Days of arrival needed for a label, 2 to 64."))
  var labelDays: Int?
  @Option(help: .value("count", "Independent reporters needed for a label if a source names the number, too."))
  var corroboratedReporters: Int?
  @Option(help: .value("count", "Networks needed for a label if a source names the number, too."))
  var corroboratedNetworks: Int?
  @Option(help: .value("count", "Days of arrival needed for a label if a source names the number, too."))
  var corroboratedDays: Int?
  @Option(
    help: .value(
      "mark",
      "Mark of a hold that permits a label: new_reporters, one_week, one_network, one_text, same_numbers, one_day, or none; can be "
        + "repeated."))
  var labelMark: [String] = []
  @Option(help: .value("count", "Labels per day that new reporters of one app support, without --label-share."))
  var labelsPerDay: Int?
  @Option(help: .value("part", "Further labels per day for each reporter of the app a week ago, 0 to 1."))
  var labelShare: Double?

  var isAny: Bool {
    !labelMark.isEmpty || labelHeatShare != nil || labelShare != nil
      || [
        labelReporters, labelNetworks, labelDays, corroboratedReporters, corroboratedNetworks, corroboratedDays,
        labelsPerDay,
      ].contains { $0 != nil }
  }

  func validate() throws {
    for mark in labelMark where mark != "none" && IdentifyRule.Mark(rawValue: mark) == nil {
      let known = IdentifyRule.Mark.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("There is no mark \(mark). Use one of: \(known), none.")
    }
  }

  func applied(to set: ThresholdSet) throws -> ThresholdSet {
    var rule = set.identify
    rule.heatShare = labelHeatShare ?? rule.heatShare
    rule.alone.reporters = labelReporters ?? rule.alone.reporters
    rule.alone.networks = labelNetworks ?? rule.alone.networks
    rule.alone.days = labelDays ?? rule.alone.days
    rule.corroborated.reporters = corroboratedReporters ?? rule.corroborated.reporters
    rule.corroborated.networks = corroboratedNetworks ?? rule.corroborated.networks
    rule.corroborated.days = corroboratedDays ?? rule.corroborated.days
    if !labelMark.isEmpty { rule.identifiedMarks = Set(labelMark.compactMap(IdentifyRule.Mark.init)) }
    rule.labels = labelsPerDay ?? rule.labels
    rule.labelShare = labelShare ?? rule.labelShare
    return try set.replacing(rule)
  }
}
