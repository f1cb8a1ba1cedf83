import ArgumentParser
import Curation
import Foundation
import Localization
import Storage
import Timestamps

/// `ringfence appeals`
struct AppealsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "appeals", abstract: "What owners say of their numbers.",
    discussion: """
      A number with ten complaints or more on one day, at least half of all its complaints, is identified and not blocked \
      from the moment an appeal is filed, until it is rejected: a caller may only have pretended to call from it.
      """,
    subcommands: [File.self, List.self, Answer.self])

  /// `ringfence appeals file`
  struct File: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "File an appeal for the owner of a number.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    @Option(help: "What the owner says, at most 2,000 characters.")
    var statement: String

    func validate() throws { _ = try appeal }

    func run() async throws {
      let appeal = try appeal
      try await CommandContext.open(database, owns: false, logger: .quiet) { try await $0.stores.appeals.file(appeal) }
      print("Filed as \(appeal.id.uuidString.lowercased()).")
    }

    private var appeal: Appeal {
      get throws {
        do {
          return try Appeal(number: subject.digits, statement: statement, filedAt: Date())
        } catch let problem as RuleViolation {
          throw ValidationError(try Localizer.commandLine().message(problem))
        }
      }
    }
  }

  /// `ringfence appeals list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the appeals that wait for an answer: number, when, id, statement, with tabs between.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let open = try await CommandContext.open(database, owns: false, logger: .quiet) {
        try await $0.stores.appeals.open()
      }
      for appeal in open {
        let words = appeal.statement.replacing("\n", with: " ").replacing("\t", with: " ")
        print(
          ["+\(appeal.number)", Timestamp.format(appeal.filedAt), appeal.id.uuidString.lowercased(), words]
            .joined(separator: "\t"))
      }
    }
  }

  /// `ringfence appeals answer`
  struct Answer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Uphold or reject a number's open appeals, or change the answer to the last one.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    @Flag(help: "The owner is right.")
    var uphold = false

    @Flag(help: "The owner is not.")
    var reject = false

    @Option(help: "Who answers.")
    var by: String

    @Option(help: "What the owner is told.")
    var reason: String?

    func validate() throws {
      guard uphold != reject else { throw ValidationError("Say --uphold or --reject.") }
    }

    func run() async throws {
      let number = try subject.digits
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        let state: Appeal.State = uphold ? .upheld : .rejected
        do {
          // The same as on the page: to uphold allows the number, and takes it out of what is published.
          let outcome = try await context.stores.appeals.settle(
            number, as: state, by: by, role: .administrator, answer: reason, at: Date())
          if outcome == .nothingOpen { try await change(number, to: state, in: context) }
        } catch let problem as RuleViolation {
          throw CommandFailure.failed(try Localizer.commandLine().message(problem))
        }
        print("+\(number): \(uphold ? "upheld" : "rejected").")
      }
    }

    /// Changes the answer to the last appeal.
    private func change(_ number: Int64, to state: Appeal.State, in context: CommandContext) async throws {
      guard let last = try await context.stores.appeals.appeals(of: number).last else {
        throw CommandFailure.failed("Nobody has appealed about +\(number).")
      }
      _ = try await context.stores.appeals.answer(try last.answered(state, by: by, at: Date(), answer: reason))
    }
  }
}
