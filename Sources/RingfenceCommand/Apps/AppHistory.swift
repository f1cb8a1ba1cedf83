// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Importing
import Publishing
import Storage

struct AppHistory: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show which numbers an app's reports of earlier days would list with the scope history; saves nothing.",
    discussion: """
      Each line of the file is a report of POST /v1/reports, as the app's server would send it with Content-Type \
      application/x-ndjson. With the scope history, reports of earlier days count on these days, and each reporter as one \
      network if client_address is missing. The rules against brigading judge them as at other times: numbers without a report \
      of the last 30 days list nothing new, and reports of new reporters may only identify a number until they are established.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the app.")
  var name: String

  @Argument(help: "File with reports, or - for standard input.", completion: .file())
  var file: String

  @OptionGroup var output: TableOptions

  func run() async throws {
    try await database.open { context in
      let app = try await context.stores.apps.app(named: name)
      let (preview, reports) = try await HistoryPreviewer(
        stores: context.stores, pseudonymizer: try context.folder.pseudonymizer(),
        state: BrigadeReview(store: context.stores.holds).state
      ).preview(file, of: app, at: Date())
      let key = try await context.stores.apps.keys(of: name).first { $0.state(at: Date()) == .valid }
      let scopes = (key?.scopes ?? .report).union(.history).names.joined(separator: ",")
      let text = """
        \(TextFormat.count(reports.inserted, "report")) about \(TextFormat.count(preview.entries, "number")) would be \
        stored, \(reports.duplicates) stored already. \(preview.changes)
        Nothing was saved. Grant the scope with: ringfence app scopes \(key.map { "\($0.id)" } ?? "KEY") \(scopes)
        """
      let table = TextTable(["numbers", "count"], preview.figures.map { [$0, "\($1)"] })
      try output.print(table, text: text, json: preview)
    }
  }
}
