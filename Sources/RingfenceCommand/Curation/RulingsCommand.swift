import ArgumentParser
import Curation
import Foundation
import Storage
import Timestamps

/// `ringfence rulings`
struct RulingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rulings", abstract: "Print everything that was ever ruled about a number, the oldest first.",
    discussion: "A line a ruling, with tabs between: time, who, what, label, category, reason, note, id.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var subject: NumberOptions

  func run() async throws {
    let number = try subject.digits
    let history = try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
      try await workplace.rulings.history(of: number)
    }
    for event in history { print(event.line) }
  }
}

extension RulingEvent {
  fileprivate var line: String {
    let what =
      switch kind {
      case .ruling(let decision): decision.rawValue
      case .undo(let undone): "undo \(undone.uuidString.lowercased())"
      }
    return [
      Timestamp.format(time), moderator, what, label ?? "", category?.slug ?? "", reason ?? "",
      (note ?? "").replacing("\n", with: " ").replacing("\t", with: " "), id.uuidString.lowercased(),
    ].joined(separator: "\t")
  }
}
