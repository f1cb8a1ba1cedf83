import ArgumentParser
import Foundation
import Importing
import Storage

/// `ringfence reporters`
struct ReportersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reporters", abstract: "What reporters' words weigh.", subcommands: [Recount.self])

  /// `ringfence reporters recount`
  struct Recount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Work out every reporter's weight from all reports, rulings and holds, and weigh the reports anew.",
      discussion: """
        The server does the same every hour. Changes only what differs, so it can be broken off and repeated; after a \
        ruling was undone everything is as if it had never been.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let summary = try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
        let count = try await AuditStore(pool: workplace.pool).count()
        let meter = ProgressMeter(
          title: "Weighing", total: count > 0 ? UInt64(count) : nil, unit: .items("numbers"))
        defer { meter.finish() }
        return try await workplace.reporters.recount(
          protected: try await workplace.protection.load(), at: Date(),
          progress: { meter.update(done: UInt64($0)) })
      }
      print("Reporters of whom something new is known: \(summary.reporters). Numbers weighed anew: \(summary.numbers).")
    }
  }
}
