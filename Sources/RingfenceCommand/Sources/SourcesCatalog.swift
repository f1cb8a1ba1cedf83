// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import Storage

struct SourcesCatalog: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "List public lists that can be added by name.",
    discussion: "Read the license before you add a list. The lists are defined in Resources/sources.yaml.")

  private struct Row: Encodable {
    static let columns = ["name", "country", "rows", "every", "ceiling", "block from", "license", "about"]

    let name: String
    let country: String
    let rows: Int?
    let every: String
    let ceiling: SourceCeiling
    let blockComplaints: Int?
    let license: String
    let about: String

    var cells: [String] {
      [
        name, country, rows.map { "\($0)" } ?? "unknown", every, ceiling.rawValue,
        ceiling == .block ? "\(blockComplaints ?? 1)" : "never",
        license, about,
      ]
    }
  }

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var output: TableOptions

  func run() async throws {
    let rows = try SourceCatalog.read(resources: Installation.find(database.settings()).resources).sources.map {
      Row(
        name: $0.name, country: $0.country, rows: $0.rows, every: $0.every, ceiling: $0.ceiling,
        blockComplaints: $0.blockComplaints, license: $0.license, about: $0.about)
    }
    try output.print(TextTable(Row.columns, rows.map(\.cells)), json: rows)
  }
}

/// The question of `ringfence sources add` on a terminal.
enum Question {
  /// Whether a person reads the output and can answer.
  static var isPossible: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// The effect of a source on phones, in a sentence.
  static func effect(of settings: Source.Settings) -> String {
    switch settings.ceiling {
    case _ where settings.format.protects: "Its numbers are protected."
    case .nothing: "Its numbers are shown to moderators."
    case .review: "Its numbers go to the queue."
    case .identify: "Phones label its numbers and block none."
    case .block: "Phones block its numbers, with enough complaints, and label the others."
    }
  }

  enum Answer {
    /// All are labeled.
    case label
    /// As the catalog says, numbers with several complaints are blocked.
    case catalog
    /// All are blocked, except those that belong to no place.
    case block
  }

  /// Asks what a list does with its numbers. Enter labels all.
  /// - Throws: ``CommandFailure`` where the person wants nothing of it.
  static func answer(_ preview: SourcePreview, _ listed: SourceCatalog.Entry) throws -> Answer {
    let (label, block) = (TextFormat.grouped(preview.identify), TextFormat.grouped(preview.block))
    print(TextFormat.grouped(preview.entries, "number") + ".")
    print("  label: phones show a label for each, and block none")
    if let least = listed.blockComplaints {
      print(
        "  some: \(block) numbers with \(TextFormat.count(least, "complaint")) or more are blocked, \(label) labeled")
    }
    print("  block: all are blocked, except toll-free numbers and others that callers often show falsely")
    while true {
      let choices = listed.blockComplaints == nil ? "label, block or no" : "label, some, block or no"
      try FileHandle.standardOutput.write(contentsOf: Data("\(choices) [label]: ".utf8))
      switch readLine()?.lowercased() {
      case "", "label", "l": return .label
      case "some", "s": if listed.blockComplaints != nil { return .catalog }
      case "block", "b": return .block
      case "no", "n", nil: throw CommandFailure.failed("Nothing was added.")
      default: continue
      }
    }
  }
}

/// Whether a list blocks numbers that belong to no place.
struct SharedNumbersOption: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case yes, no
  }

  @Option(
    help: .value(
      "yes or no",
      "Whether the list alone may block numbers that belong to no place, such as toll-free ones. Callers often show these "
        + "falsely. Default: no, it labels them."))
  var blockShared: Choice?

  var isBlocking: Bool? { blockShared.map { $0 == .yes } }
}
