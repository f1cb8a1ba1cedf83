// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing

/// `ringfence sources catalog`
struct SourcesCatalog: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "List public lists that can be added by name.",
    discussion: "Read the license before you add a list. The lists are those of Resources/sources.yaml.")

  private struct Row: Encodable {
    static let columns = ["name", "country", "rows", "every", "ceiling", "license", "about"]

    let name: String
    let country: String
    let rows: Int?
    let every: String
    let ceiling: SourceCeiling
    let license: String
    let about: String

    var cells: [String] {
      [name, country, rows.map { "\($0)" } ?? "unknown", every, ceiling.rawValue, license, about]
    }
  }

  @OptionGroup var database: DatabaseOptions

  @OptionGroup var output: TableOptions

  func run() async throws {
    let rows = try SourceCatalog.read(resources: Installation.find(database.settings()).resources).sources.map {
      Row(
        name: $0.name, country: $0.country, rows: $0.rows, every: $0.every, ceiling: $0.ceiling, license: $0.license,
        about: $0.about)
    }
    try output.print(TextTable(Row.columns, rows.map(\.cells)), json: rows)
  }
}

/// The question of `ringfence sources add` on a terminal.
enum Question {
  /// Whether a person reads the output and can answer.
  static var isPossible: Bool { isatty(0) == 1 && isatty(1) == 1 }

  /// Asks whether to identify or to block the numbers of a list.
  /// - Throws: ``CommandFailure`` where the person wants neither.
  static func ceiling(of preview: SourcePreview, usual: SourceCeiling) throws -> SourceCeiling {
    print("\(TextFormat.grouped(preview.entries)) numbers, one complaint each: label them, or block them?")
    while true {
      try FileHandle.standardOutput.write(contentsOf: Data("identify, block or no [\(usual.rawValue)]: ".utf8))
      switch readLine()?.lowercased() {
      case "": return usual
      case "identify", "i": return .identify
      case "block", "b": return .block
      case "no", "n", nil: throw CommandFailure.failed("Nothing was added.")
      default: continue
      }
    }
  }
}
