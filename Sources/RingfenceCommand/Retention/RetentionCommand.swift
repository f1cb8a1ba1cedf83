import ArgumentParser
import Foundation
import Storage
import Timestamps

/// `ringfence retention`
struct RetentionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "How far back reports are kept.", subcommands: [Show.self, Reopen.self])

  /// `ringfence retention show`
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say how far back reports were dropped.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let state = try await CommandContext.open(database, owns: false, logger: .quiet) {
        try await $0.stores.retention.state()
      }
      guard let state else { return print("No reports were ever dropped.") }
      print("Reports of before \(Timestamp.format(state.droppedBefore)) were dropped, and are not taken any more.")
      if let reopened = state.reopenedAt {
        print("A clock had run ahead: they were taken again as far as can be, \(Timestamp.format(reopened)).")
      } else if state.isTooYoung {
        print(
          """
          That is less than \(RetentionStore.leastMonths) months ago: a clock ran ahead. By the database's it is \
          \(Timestamp.format(state.time)). Set clocks right, then: ringfence retention reopen --reason WHY
          """)
      }
    }
  }

  /// `ringfence retention reopen`
  struct Reopen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take reports again that a clock that ran ahead has shut out.",
      discussion: """
        Where serve --report-months ran by a clock that was ahead, it dropped months that should have been kept, and reports \
        of before their end are refused. They are taken again from the first day (UTC) on of which none can be gone, as \
        what they added up to tells. What was dropped is not brought back: that a backup has. Reads every number.
        """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var person: PersonOption

    @Option(help: "Why, for the audit trail.")
    var reason: String

    func validate() throws {
      guard (1...1_000).contains(reason.count) else { throw ValidationError("--reason has 1 to 1,000 characters.") }
    }

    func run() async throws {
      let change = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        try await context.stores.retention.reopen(by: person.by, because: reason, at: Date())
      }
      guard let (former, present) = change else { return print("No reports were ever dropped.") }
      let before = Timestamp.format(former.droppedBefore)
      guard former.isTooYoung else {
        throw CommandFailure.failed(
          """
          Reports of before \(before) were dropped as they should be, over \(RetentionStore.leastMonths) months ago: they \
          stay shut out.
          """)
      }
      guard present != former else {
        throw CommandFailure.failed(
          "Reports of as late as \(before) are gone, or may be: older ones stay shut out, or they could count twice.")
      }
      print(
        "Reports from \(Timestamp.format(present.droppedBefore)) on are taken again; before it was \(before). "
          + "Older ones are gone.")
    }
  }
}
