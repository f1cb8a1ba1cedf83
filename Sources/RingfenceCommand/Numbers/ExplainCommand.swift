// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Storage

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain why a number is listed or not.",
    discussion: "Shows the same explanation as GET /v1/numbers/{number} and the page of the case.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var subject: NumberOptions

  @Flag(help: "Print the JSON of the API.")
  var json = false

  func run() async throws {
    let number = try subject.digits
    let texts = try Localizer.commandLine()
    let explanation = try await database.open { context in
      LocalizedExplanation(try await context.stores.explanations.explain(number, at: Date()), texts)
    }
    guard json else {
      print("+\(number)")
      for sentence in explanation.account { print("  \(sentence)") }
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    print(String(decoding: try encoder.encode(explanation), as: UTF8.self))
  }
}
