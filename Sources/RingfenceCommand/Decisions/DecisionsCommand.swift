// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Storage
import Timestamps

/// `ringfence decisions`
struct DecisionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decisions", abstract: "List all decisions on a number, oldest first.",
    discussion:
      """
      Prints one line per decision, separated by tabs: time, name, decision, label, category, reason, note, ID, expiry.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var subject: NumberOptions

  func run() async throws {
    let number = try subject.digits
    let history = try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await context.stores.decisions.history(of: number)
    }
    for event in history { print(event.line) }
  }
}

extension DecisionEvent {
  fileprivate var line: String {
    let what =
      switch kind {
      case .decision(let treatment): treatment.rawValue
      case .undo(let undone): "\(expiresAt == nil ? "undo" : "expire") \(undone.uuidString.lowercased())"
      }
    return [
      Timestamp.format(time), decidedBy, what, label ?? "", category?.slug ?? "", reason ?? "",
      (note ?? "").replacing("\n", with: " ").replacing("\t", with: " "), id.uuidString.lowercased(),
      expiresAt.map { Timestamp.format($0) } ?? "",
    ].joined(separator: "\t")
  }
}
