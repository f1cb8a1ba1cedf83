// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import HTTPServer
import Storage
import Support

struct HoldsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holds", abstract: "List the numbers that are held for review by the rules against brigading.",
    discussion: """
      Prints one line per number, separated by tabs: number, rule, figures of the rule, time of the hold. A decision ends \
      the hold: ringfence decide
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let held = try await database.open { context in
      try await context.stores.holds.held()
    }
    let texts = try Localizer.commandLine()
    for hold in held {
      print(
        ["+\(hold.number)", hold.reason.code.name, texts.message(hold.reason), Timestamp.format(hold.heldAt)]
          .joined(separator: "\t"))
    }
  }
}
