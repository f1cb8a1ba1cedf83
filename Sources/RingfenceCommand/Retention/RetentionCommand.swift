// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence retention`
struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Show how long reports are kept.", subcommands: [Show.self])

  /// `ringfence retention show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the time before which reports were deleted.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let state = try await database.open {
        try await $0.stores.retention.state()
      }
      guard let state else { return print("No reports were deleted.") }
      print(
        "Reports from before \(Timestamp.format(state.droppedBefore)) were deleted. New reports that old are refused.")
      if state.isTooYoung {
        print(
          """
          This is less than \(RetentionStore.minMonths) months ago, because a clock was wrong. The database's clock \
          shows \(Timestamp.format(state.time)). Restore deleted reports from a backup.
          """)
      }
    }
  }
}
