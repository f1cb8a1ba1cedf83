// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Localization
import Storage
import Timestamps

/// `ringfence thresholds show`
struct ThresholdsShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the current thresholds, or those of an older version.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Version to show. Default: the current version.")
  var version: Int32?

  @Option(help: "Output format: text, tsv or json.")
  var format = TableFormat.text

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      let (version, set) = try await context.stores.thresholds.version(version)
      let lists = try await context.stores.thresholds.lists()
      switch format {
      case .text:
        let texts = try context.installation.englishTexts()
        print("Version \(version.line(texts))\n")
        print(TextTable(ThresholdRow.columns, set.thresholds.map { ThresholdRow($0).cells }).aligned)
        print("\nImported lists\n")
        print(TextTable(SourceRow.columns, set.sources.map { SourceRow($0, lists).cells }).aligned)
      case .tsv: print(TextTable(ThresholdRow.columns, set.thresholds.map { ThresholdRow($0).cells }).tsv)
      case .json: print(try ThresholdsJSON(version, set, lists).text())
      }
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

  @Option(help: "Output format: text, tsv or json.")
  var format = TableFormat.text

  func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit is \(limit). Use 1 to 10000.") }
  }

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      let versions = try await context.stores.thresholds.history(limit: limit)
      switch format {
      case .text:
        let texts = try context.installation.englishTexts()
        for version in versions { print(version.line(texts)) }
      case .tsv:
        let rows = versions.map { ["\($0.version)", Timestamp.format($0.savedAt), $0.savedBy, $0.reason ?? ""] }
        print(TextTable(["version", "saved_at", "saved_by", "reason"], rows).tsv)
      case .json: print(try HouseJSON.text(versions.map(ThresholdsJSON.Version.init)))
      }
    }
  }
}

/// `ringfence sources list`
struct SourcesList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the rules of all imported lists.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Output format: text, tsv or json.")
  var format = TableFormat.text

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      let set = try await context.stores.thresholds.current()
      let lists = try await context.stores.thresholds.lists()
      let rules =
        [set.rule(forSource: SourceRule.everyList)] + lists.map { set.rule(ofList: $0.id) }
      let rows = rules.map { SourceRow($0, lists) }
      switch format {
      case .text: print(TextTable(SourceRow.columns, rows.map(\.cells)).aligned)
      case .tsv: print(TextTable(SourceRow.columns, rows.map(\.cells)).tsv)
      case .json: print(try HouseJSON.text(rows))
      }
    }
  }
}

extension ThresholdVersion {
  /// Version, time, author and reason.
  func line(_ texts: Localizer) -> String {
    "\(version), saved \(Timestamp.format(savedAt)) by \(savedBy): \(reason ?? texts("thresholds.shipped"))"
  }
}
