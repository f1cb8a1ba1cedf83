// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Moderation
import Storage
import Support

struct AppealsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "appeals", abstract: "File, list and answer appeals.",
    discussion: """
      A caller can send a false number. If at least ten complaints and at least half of all complaints about a number \
      came on one day, the number is identified and not blocked from the appeal until it is rejected.
      """,
    subcommands: [File.self, List.self, Answer.self])

  struct File: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "File an appeal for the owner of a number.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    @Option(help: "The statement of the owner, at most 2,000 characters.")
    var statement: String

    func validate() throws { _ = try appeal }

    func run() async throws {
      let appeal = try appeal
      try await database.open { try await $0.stores.appeals.file(appeal) }
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

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List open appeals, separated by tabs: number, time, ID, statement.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      let open = try await database.open {
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

  struct Answer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Uphold or reject the open appeals of a number, or answer the last rejected one again.",
      discussion: "--by or --by-program is required.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions

    @Flag(help: "Uphold the appeals and allow the number.")
    var uphold = false

    @Flag(help: "Reject the appeals.")
    var reject = false

    @OptionGroup var audit: AuditOption

    @Option(help: "Answer to the owner; required with --reject.")
    var reason: String?

    func validate() throws {
      guard uphold != reject else { throw ValidationError("Pass either --uphold or --reject.") }
      guard uphold || reason != nil else {
        throw ValidationError("The owner reads why an appeal is rejected. Pass the answer with --reason.")
      }
      try audit.checkIsGiven()
    }

    func run() async throws {
      let number = try subject.digits
      try await database.open(as: audit) { context in
        let state: Appeal.State = uphold ? .upheld : .rejected
        // As on the page, to uphold allows the number and removes it from the packs.
        let outcome = try await context.moderation.appeals.settle(
          number, again: true, as: state, by: audit.actor, answer: reason, at: Date())
        if outcome == .nothingOpen {
          throw CommandFailure.failed(
            try await context.stores.appeals.appeals(of: number).isEmpty
              ? "There is no appeal about +\(number). List open appeals with: ringfence appeals list"
              : "The last appeal about +\(number) was upheld. To open it again, undo the decision: ringfence decide +\(number) --undo"
          )
        }
        print("+\(number): \(uphold ? "upheld" : "rejected").")
      }
    }
  }
}
