// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage

struct ReportersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reporters", abstract: "Calculate the weights of reporters.", subcommands: [Recount.self])

  struct Recount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Calculate the weight of every reporter from all reports, decisions and holds.",
      discussion: """
        The server does this every hour. Only differences are written, so you can stop and repeat it. A decision that \
        was undone has no effect on weights.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let summary = try await database.open { context in
        let count = try await context.stores.recount.count()
        let meter = ProgressMeter(
          title: "Calculating", total: count > 0 ? UInt64(count) : nil, unit: .items("numbers"))
        defer { meter.finish() }
        return try await context.stores.reporters.recount(
          protected: try await context.stores.protection.load(), at: Date(),
          progress: { meter.update(done: UInt64($0)) })
      }
      print("Reporters changed: \(summary.reporters). Numbers changed: \(summary.numbers).")
    }
  }
}
