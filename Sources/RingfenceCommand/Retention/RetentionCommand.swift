// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence retention`
struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Show how long data is kept, and what was deleted.", subcommands: [Show.self])

  /// `ringfence retention show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Show the time before which reports were deleted, and the deletions of the last 30 days: time, kind, count.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let (state, deletions) = try await database.open { context in
        (
          try await context.stores.retention.state(),
          try await context.stores.retention.deletions(since: Date() - 30 * 86_400)
        )
      }
      show(state)
      for one in deletions { print("\(Timestamp.format(one.deletedAt))\t\(one.kind)\t\(one.rows)") }
    }

    private func show(_ state: ReportRetention?) {
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
