// SPDX-License-Identifier: Apache-2.0

import Curation
import ArgumentParser
import Foundation
import PhoneNumbers
import Storage

struct NumberingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "numbering", abstract: "Show, check and update the numbering plans, by which numbers are read.",
    discussion: """
      The program has built-in numbering plans, which get older. A newer file replaces them in the database, and every \
      running server reads it within a minute: no release is needed. Scripts/make-numbering-plans makes the file. A newer \
      plan changes no stored number. It ends the holds of numbers that it has and the former plan did not have.
      """,
    subcommands: [Show.self, Update.self, Check.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show version and date of the plans in use, and of the built-in plans.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await database.open { _ in
        let (current, own) = (NumberingPlans.current, NumberingPlans.builtIn)
        print("in use\t\(current.version)\t\(current.date)")
        print("built in\t\(own.version)\t\(own.date)")
      }
    }
  }

  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check a file of numbering plans completely, and store it in the database for all servers.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "File made by Scripts/make-numbering-plans.", completion: .file())
    var file: String

    @OptionGroup var audit: AuditOption

    func run() async throws {
      let content = try read()
      let plans: NumberingPlans
      do throws(NumberingPlans.Failure) {
        plans = try NumberingPlans(bytes: content)
      } catch {
        throw CommandFailure.failed("\(file): \(error) Nothing was changed.")
      }
      try await database.open(as: audit) { context in
        let own = NumberingPlans.builtIn
        guard plans.version > own.version else {
          throw CommandFailure.failed(
            "\(file) has the plans \(plans.version), and the program has \(own.version). Nothing was changed.")
        }
        let isNewer = try await context.stores.numbering.replace(
          plans, content: content, by: audit.actor, at: Date())
        guard isNewer else {
          throw CommandFailure.failed(
            "The plans in the database are not older than \(plans.version). Nothing was changed. See: ringfence numbering show"
          )
        }
        let count = try await context.stores.holds.endAssigned(at: Date())
        print(
          "Numbers are read by the plans \(plans.version) of \(plans.date). Running servers follow within a minute. "
            + "\(TextFormat.count(count, "held number")) exist now.")
      }
    }

    /// Reads at most one byte more than a file may have.
    private func read() throws -> [UInt8] {
      guard let handle = FileHandle(forReadingAtPath: file) else {
        throw CommandFailure.unreadable("Cannot read \(file). Check its name, owner and permissions.")
      }
      // Nil at the end of an empty file.
      let data = try handle.read(upToCount: NumberingPlans.maxBytes + 1) ?? Data()
      return Array(data)
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List stored numbers that the plans in use do not have, one per line.",
      discussion: "They stay as they are. The exit code is 1 if there are any.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await database.open { context in
        var count = 0
        try await context.stores.numbering.forEachInvalid { numbers in
          count += numbers.count
          for number in numbers { print("+\(number)") }
        }
        guard count > 0 else { return }
        throw CommandFailure.failed(
          "\(TextFormat.count(count, "number")) not in the plans \(NumberingPlans.current.version).")
      }
    }
  }
}

extension Finding {
  /// The doctor's check of the plans: fresh numbers of nuisance callers are of fresh ranges.
  static func numberingPlans(_ context: CommandContext, at now: Date) async -> Finding {
    // A schema before 0.2.0 has no plans.
    try? await context.stores.numbering.use()
    let plans = NumberingPlans.current
    let text = "\(plans.version) of \(plans.date)"
    guard plans.isOld(at: now) else { return .ok("numbering plans", text) }
    return .warning(
      "numbering plans", text,
      "New area codes are not known. Make newer plans with Scripts/make-numbering-plans, and store them with: "
        + "ringfence numbering update FILE")
  }
}
