import ArgumentParser
import Foundation
import Storage

/// `ringfence reporters`
struct ReportersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reporters", abstract: "What reporters' words weigh.", subcommands: [Recount.self])

  /// `ringfence reporters recount`
  struct Recount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Work out every reporter's weight from all reports, decisions and holds, and weigh the reports anew.",
      discussion: """
        The server does the same every hour. Changes only what differs, so it can be broken off and repeated; after a \
        decision was undone everything is as if it had never been.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let summary = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        let count = try await context.stores.recount.count()
        let meter = ProgressMeter(
          title: "Weighing", total: count > 0 ? UInt64(count) : nil, unit: .items("numbers"))
        defer { meter.finish() }
        return try await context.stores.reporters.recount(
          protected: try await context.stores.protection.load(), at: Date(),
          progress: { meter.update(done: UInt64($0)) })
      }
      print("Reporters of whom something new is known: \(summary.reporters). Numbers weighed anew: \(summary.numbers).")
    }
  }
}
