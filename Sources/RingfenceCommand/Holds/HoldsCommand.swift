import ArgumentParser
import Curation
import Localization
import Storage
import Timestamps

/// `ringfence holds`
struct HoldsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holds", abstract: "Print the numbers that rules against brigades keep back for a moderator.",
    discussion: """
      A line a number, with tabs between: number, rule, the rule's figures, since when. A decision releases it: ringfence decide
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let held = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await context.stores.holds.held()
    }
    let texts = try Localizer.commandLine()
    for hold in held {
      print(
        ["+\(hold.number)", hold.reason.code.rawValue, texts.message(hold.reason), Timestamp.format(hold.heldAt)]
          .joined(separator: "\t"))
    }
  }
}
