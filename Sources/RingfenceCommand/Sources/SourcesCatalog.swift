// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing

/// `ringfence sources catalog`
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

  /// Asks whether to block all numbers of a list, or to label them as the catalog says.
  /// - Throws: ``CommandFailure`` where the person wants neither.
  static func asksToBlock(_ preview: SourcePreview, _ listed: SourceCatalog.Entry) throws -> Bool {
    let (label, block) = (TextFormat.grouped(preview.identify), TextFormat.grouped(preview.block))
    print(
      "\(TextFormat.grouped(preview.entries, "number")). The next publication would label \(label) and block \(block).")
    if let least = listed.blockComplaints {
      let complaints = TextFormat.count(least, "complaint")
      print("Numbers with \(complaints) or more are blocked. Label the others, or block them too?")
    } else {
      print("They have one complaint each: label them, or block them?")
    }
    while true {
      try FileHandle.standardOutput.write(contentsOf: Data("identify, block or no [identify]: ".utf8))
      switch readLine()?.lowercased() {
      case "", "identify", "i": return false
      case "block", "b": return true
      case "no", "n", nil: throw CommandFailure.failed("Nothing was added.")
      default: continue
      }
    }
  }
}
