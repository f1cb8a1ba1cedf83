import ArgumentParser
import Curation
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
    for hold in held {
      print(
        ["+\(hold.number)", hold.rule.rawValue, hold.detail, Timestamp.format(hold.heldAt)].joined(separator: "\t"))
    }
  }
}
