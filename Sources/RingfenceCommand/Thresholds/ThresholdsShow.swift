// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Storage
import Support

struct ThresholdsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thresholds",
    abstract: "Show, preview and change the thresholds for a listing.",
    discussion: """
      A number is compared with the threshold of its category with the most heat, and of its country if the country has \
      its own threshold. It is listed when it reaches all limits under "enter". It stays listed until it falls below a \
      limit under "leave". Each change makes a new version with a reason. Old versions are kept.

      Instead of reporters, networks and days, a number may reach the limits of one imported list: see \
      `ringfence sources`.
      """,
    subcommands: [ThresholdsShow.self, ThresholdsSet.self, ThresholdsPreview.self, ThresholdsHistory.self])
}

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
      let apps = try await context.stores.thresholds.apps()
      let (thresholds, sources) = (set.thresholds.map(\.row), set.sources.map { $0.row(apps) })
      let attestation = set.attestation.map { $0.row(apps) }
      let table = TextTable(thresholds)
      let line = version.line(try context.installation.englishTexts())
      try output.print(
        table,
        text: "Version \(line)\n\n\(table.aligned)\n\nImported lists\n\n\(TextTable(sources).aligned)\n\n"
          + "Labels\n\n\(TextTable([set.identify.row]).aligned)\n\n"
          + "Weights of new reporters by attestation\n\n\(TextTable(attestation).aligned)",
        json: ThresholdsJSON(
          version: .init(version), thresholds: thresholds, sources: sources, labels: set.identify.row,
          attestation: attestation))
    }
  }
}

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

extension FieldwiseRule {
  /// Its values by their fields, those that are no limits first.
  func row(_ head: (String, TableRow.Value)...) -> TableRow {
    let fields = Self.table.filter { !$0.name.contains(".") } + Self.table.filter { $0.name.contains(".") }
    return TableRow(
      head
        + fields.map { field in
          let value: TableRow.Value =
            switch field.path {
            case .real(let path): .figure(self[keyPath: path])
            case .whole(let path): .count(self[keyPath: path])
            case .flag(let path): .text(self[keyPath: path] ? "yes" : "no")
            }
          return (field.name.replacing(".", with: "_"), value)
        })
  }
}

extension Threshold {
  fileprivate var row: TableRow { row(("category", .text(category.slug)), ("country", .country(country, else: "all"))) }
}

extension IdentifyRule {
  fileprivate var row: TableRow {
    [
      "heat_share": .figure(heatShare), "reporters": .count(alone.reporters), "networks": .count(alone.networks),
      "days": .count(alone.days), "corroborated_reporters": .count(corroborated.reporters),
      "corroborated_networks": .count(corroborated.networks), "corroborated_days": .count(corroborated.days),
      "marks": .text(identifiedMarks.map(\.rawValue).sorted().joined(separator: " ")),
      "labels_per_day": .count(labels), "label_share": .figure(labelShare),
    ]
  }
}

extension AttestationRule {
  fileprivate func row(_ apps: [App]) -> TableRow {
    let name = appID == Self.everyApp ? SourceRule.everyListName : apps.name(of: appID) ?? "app \(appID)"
    return row(("app", .text(name)))
  }
}

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
  let thresholds: [TableRow]
  let sources: [TableRow]
  let labels: TableRow
  /// The weights of new reporters by app and by the level of attestation; `default` for apps without their own.
  let attestation: [TableRow]
}
