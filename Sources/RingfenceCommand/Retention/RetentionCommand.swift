// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage
import Support

struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Show how long data is kept, and what was deleted.", subcommands: [Show.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Show how long each kind of data is kept, and the deletions of the last 30 days: time, kind, count.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let (state, deletions, settings) = try await database.open { context in
        (
          try await context.stores.retention.state(),
          try await context.stores.retention.deletions(since: Date() - 30 * 86_400), context.folder.settings
        )
      }
      for kind in RetainedData.allCases { print("\(kind.rawValue)\t\(try Self.period(of: kind, settings))") }
      show(state)
      for one in deletions { print("\(Timestamp.format(one.deletedAt))\t\(one.kind)\t\(one.rows)") }
    }

    /// How long data is kept, in words.
    private static func period(of kind: RetainedData, _ settings: Settings) throws -> String {
      switch kind {
      case .comments: try settings.commentDays.map { TextFormat.count($0, "day") } ?? "as long as the report"
      case .reportMonths: try settings.reportMonths.map { TextFormat.count($0, "month") } ?? "no end"
      case .personalNumbers: "until their key ends"
      case .contacts: "\(TextFormat.count(Int(RetainedData.contactsKept / 86_400), "day")) after the answer"
      default: kind.days.map { TextFormat.count($0, "day") } ?? "no end"
      }
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
