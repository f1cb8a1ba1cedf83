// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Localization
import Storage
import Timestamps

/// `ringfence thresholds`
struct ThresholdsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thresholds",
    abstract: "Show, preview and change the thresholds for a listing.",
    discussion: """
      A number is compared with the threshold of its category with the most heat, and of its country if the country has \
      its own threshold. It is listed when it reaches all limits under "enter". It stays listed until it falls below a \
      limit under "leave". Each change makes a new version with a reason. Old versions are kept.

      Instead of reporters, networks and days, a number may reach what is asked of one imported list: see \
      `ringfence sources`.
      """,
    subcommands: [ThresholdsShow.self, ThresholdsSet.self, ThresholdsPreview.self, ThresholdsHistory.self])
}

/// `ringfence thresholds show`
struct ThresholdsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the thresholds of the current or of an older version.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Version to show. Default: the current version.")
  var version: Int32?

  @OptionGroup var output: TableOptions

  func run() async throws {
    try await database.open { context in
      let (version, set) = try await context.stores.thresholds.version(version)
      let lists = try await context.stores.thresholds.lists()
      let table = TextTable(ThresholdRow.columns, set.thresholds.map { ThresholdRow($0).cells })
      let listTable = TextTable(SourceRow.columns, set.sources.map { SourceRow($0, lists).cells })
      let line = version.line(try context.installation.englishTexts())
      try output.print(
        table, text: "Version \(line)\n\n\(table.aligned)\n\nImported lists\n\n\(listTable.aligned)",
        json: ThresholdsJSON(version, set, lists))
    }
  }
}

/// `ringfence thresholds history`
struct ThresholdsHistory: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List the versions of the thresholds, newest first.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: .value("count", "Maximum number of versions, 1 to 10000."))
  var limit = 50

  @OptionGroup var output: TableOptions

  func validate() throws {
    try check(limit, "--limit", in: 1...10_000)
  }

  func run() async throws {
    try await database.open { context in
      let versions = try await context.stores.thresholds.history(limit: limit)
      let texts = try context.installation.englishTexts()
      let rows = versions.map { ["\($0.version)", Timestamp.format($0.savedAt), $0.savedBy, $0.reason ?? ""] }
      try output.print(
        TextTable(["version", "saved_at", "saved_by", "reason"], rows),
        text: versions.map { $0.line(texts) }.joined(separator: "\n"), json: versions.map(ThresholdsJSON.Version.init))
    }
  }
}

extension ThresholdVersion {
  /// Version, time, author and reason.
  func line(_ texts: Localizer) -> String {
    "\(version), saved \(Timestamp.format(savedAt)) by \(savedBy): \(reason ?? texts("thresholds.shipped"))"
  }
}

/// A threshold as printed; the keys of JSON are the columns.
struct ThresholdRow: Encodable {
  let category: String
  let country: String?
  let reviewHeat: Double
  let enterHeat: Double
  let enterEvidence: Double
  let enterConfidence: Double
  let enterReporters: Int
  let enterNetworks: Int
  let enterDays: Int
  let leaveHeat: Double
  let leaveEvidence: Double
  let leaveConfidence: Double
  let leaveReporters: Int
  let leaveNetworks: Int
  let leaveDays: Int

  init(_ threshold: Threshold) {
    category = threshold.category.slug
    country = threshold.country
    reviewHeat = threshold.reviewHeat
    (enterHeat, enterEvidence) = (threshold.enter.heat, threshold.enter.evidence)
    (enterConfidence, enterReporters) = (threshold.enter.confidence, threshold.enter.reporters)
    (enterNetworks, enterDays) = (threshold.enter.networks, threshold.enter.days)
    (leaveHeat, leaveEvidence) = (threshold.leave.heat, threshold.leave.evidence)
    (leaveConfidence, leaveReporters) = (threshold.leave.confidence, threshold.leave.reporters)
    (leaveNetworks, leaveDays) = (threshold.leave.networks, threshold.leave.days)
  }

  static let columns = [
    "category", "country", "review_heat", "enter_heat", "enter_evidence", "enter_confidence", "enter_reporters",
    "enter_networks", "enter_days", "leave_heat", "leave_evidence", "leave_confidence", "leave_reporters",
    "leave_networks", "leave_days",
  ]

  var cells: [String] {
    [
      category, country ?? "all", plain(reviewHeat), plain(enterHeat), plain(enterEvidence), plain(enterConfidence),
      "\(enterReporters)", "\(enterNetworks)", "\(enterDays)", plain(leaveHeat), plain(leaveEvidence),
      plain(leaveConfidence), "\(leaveReporters)", "\(leaveNetworks)", "\(leaveDays)",
    ]
  }
}

/// A version of the thresholds in JSON.
struct ThresholdsJSON: Encodable {
  struct Version: Encodable {
    let version: Int32
    let savedAt: String
    let savedBy: String
    /// Nil for the thresholds shipped with Ringfence.
    let reason: String?

    init(_ version: ThresholdVersion) {
      self.version = version.version
      savedAt = Timestamp.format(version.savedAt)
      savedBy = version.savedBy
      reason = version.reason
    }
  }

  let version: Version
  let thresholds: [ThresholdRow]
  let sources: [SourceRow]

  init(_ version: ThresholdVersion, _ set: ThresholdSet, _ lists: [App]) {
    self.version = Version(version)
    thresholds = set.thresholds.map(ThresholdRow.init)
    sources = set.sources.map { SourceRow($0, lists) }
  }
}
