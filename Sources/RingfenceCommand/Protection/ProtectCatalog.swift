// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Importing
import PhoneNumbers
import Storage

struct ProtectCatalog: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalog", abstract: "List public service numbers that can be protected by country.",
    discussion: """
      Authorities, support lines and banks: callers show their numbers falsely, so lists of complaints have them. Each \
      number has the page on which it was read. Protect the numbers of a country with: ringfence protect add --catalog US
      """)

  @Argument(help: "Country whose numbers are listed (ISO 3166, such as US). Default: the countries.")
  var country: String?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: TableOptions

  func run() async throws {
    let catalog = try ProtectionCatalog.read(resources: Installation.find(database.settings()).resources)
    guard let country else {
      let rows: [TableRow] = catalog.countries.sorted { $0.key < $1.key }.map {
        ["country": .text($0.key), "numbers": .count($0.value.count)]
      }
      return try output.print(TextTable(rows), json: rows)
    }
    let rows: [TableRow] = try catalog.entries(of: country).map {
      [
        "number": .text(try $0.target().text), "owner": .text($0.owner), "page": .text($0.page),
        "publisher": .text($0.publisher),
      ]
    }
    try output.print(TextTable(rows), json: rows)
  }
}

extension ProtectionCatalog {
  /// - Throws: ``CommandFailure`` for a country without numbers, which names those that have some.
  func entries(of country: String) throws -> [Entry] {
    guard let found = countries[country.uppercased()] else {
      throw CommandFailure.failed(
        "The catalog has no numbers of \(country). Use one of: \(countries.keys.sorted().joined(separator: ", ")).")
    }
    return found
  }
}
