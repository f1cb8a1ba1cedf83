import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence retention`
struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "How far back reports are kept.", subcommands: [Show.self])

  /// `ringfence retention show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say how far back reports were dropped.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let state = try await CommandContext.open(database, owns: false, logger: .quiet) {
        try await $0.stores.retention.state()
      }
      guard let state else { return print("No reports were ever dropped.") }
      print("Reports made before \(Timestamp.format(state.droppedBefore)) were dropped, and are refused.")
      if state.isTooYoung {
        print(
          """
          That is less than \(RetentionStore.leastMonths) months ago: a clock was ahead when they were dropped. By the \
          database's clock it is \(Timestamp.format(state.time)). Only a backup still has the dropped reports.
          """)
      }
    }
  }
}
