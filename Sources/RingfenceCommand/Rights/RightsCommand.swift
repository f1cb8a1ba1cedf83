// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import HTTPServer
import Intake
import Storage
import Support

struct RightsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rights", abstract: "Rights of the owners of numbers and of reporters.",
    discussion:
      "Check first that the person controls the number: deliver a code, and let the person enter it at /rights.",
    subcommands: [Code.self, Show.self, Suppress.self, Repeat.self, Finish.self])

  struct Code: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a code that proves control of a number. Deliver it by a call or a message to the number itself.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions
    @OptionGroup var audit: AuditOption

    func run() async throws {
      let number = try subject.digits
      let code = try await database.open(as: audit) { context in
        try await context.rights().makeCode(for: number, by: audit.actor, at: Date())
      }
      guard let code else {
        throw CommandFailure.failed(
          "+\(number) has had \(OwnerProofStore.maxCodes) codes today. Try again after midnight UTC.")
      }
      let minutes = Int(OwnerProofStore.codeLifetime / 60)
      print("\(code.prefix(4)) \(code.suffix(4))\nIt is valid for \(minutes) minutes and for one use.")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print everything that is stored about a number as JSON, for its owner.",
      discussion: "Data of reporters, moderators and other owners is left out.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions
    @OptionGroup var audit: AuditOption

    func run() async throws {
      let (number, now) = (try subject.digits, Date())
      let data = try await database.open(as: audit) { context in
        try await context.rights().data(of: number, by: audit.actor, at: now)
      }
      print(String(decoding: RightsService.json(data, of: number, at: now), as: UTF8.self), terminator: "")
    }
  }

  struct Suppress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Suppress a number for its owner: no publication contains it, whatever reports and lists say.",
      discussion: "Imports, sources, protect remove and restored backups do not end it; only --lift does.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: NumberOptions
    @OptionGroup var audit: AuditOption

    @Option(help: "Reason for the audit log, 1 to 500 characters.")
    var reason: String

    @Flag(help: "End the suppression instead.")
    var lift = false

    func validate() throws { try checkReason(reason) }

    func run() async throws {
      let (number, actor) = (try subject.digits, audit.actor)
      try await database.open(as: audit) { context in
        let rights = try context.rights()
        guard lift else { return try await rights.suppress(number, by: actor, because: reason, at: Date()) }
        guard try await rights.lift(number, by: actor, because: reason, at: Date()) else {
          throw CommandFailure.failed("+\(number) is not suppressed.")
        }
      }
      print(lift ? "+\(number) is no longer suppressed." : "+\(number) is suppressed.")
    }
  }

  struct Finish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Rewrite the tables with reports, so that no file of PostgreSQL has the bytes of erased rows.",
      discussion: """
        Each table is locked while it is written: reports wait, or are refused with status 503. It needs the size of the \
        largest table as free space. Backups and the archive of the write-ahead log keep erased data until you delete them.
        """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await database.open { try await $0.stores.erasures.rewriteTables() }
      print("The tables with reports were written again. Delete backups from before the erasures.")
    }
  }

  struct Repeat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Repeat the erasures and suppressions of the journal, after a restore by PostgreSQL's own tools.",
      discussion: "ringfence restore does so itself. Rights that the database knows already do not change.")

    @OptionGroup var database: DatabaseOptions

    @Option(
      help: .value("file", "Erasure journal to apply with the file of erasure-journal; can be repeated."))
    var erasures: [String] = []

    func run() async throws {
      try await database.open { context in
        let others = erasures.map(ErasureJournal.init)
        for journal in others where try journal.isEmpty {
          throw CommandFailure.failed("The erasure journal \(journal.path) has no lines. Pass a file with --erasures.")
        }
        let own = try context.folder.journal
        if others.isEmpty, try own.isEmpty {
          return print(
            "Nothing to repeat: the erasure journal \(own.path) has no lines. If rights were carried out before the restore, "
              + "pass the journal of that time with --erasures.")
        }
        try await context.rights().apply(others, at: Date()).show(after: nil)
      }
    }
  }
}

extension AppliedErasures {
  /// Prints what was repeated, and what could not be.
  /// - Parameter backup: when the restored backup was made; nil if unknown.
  func show(after backup: Date?) {
    print(
      "Erasure journal applied: \(TextFormat.count(numbers, "suppressed number")), "
        + "\(TextFormat.count(reporters, "reporter")).")
    if let warning = warning(after: backup) { print(warning) }
  }

  /// The lines that another pseudonym key has written; nil where the backup includes them.
  /// - Parameter backup: when it was made. Lines of the minute before may be missing in it.
  private func warning(after backup: Date?) -> String? {
    let late = foreign.filter { $0.time > (backup ?? .distantPast) - 60 }
    guard let last = late.last else { return nil }
    func day(_ time: Date) -> String { String(Timestamp.format(time).prefix(10)) }
    let words = [
      ("erase", "erasure", "erasures"), ("restrict", "restriction", "restrictions"),
      ("release", "end of a restriction", "ends of restrictions"), ("suppress", "suppression", "suppressions"),
      ("lift", "end of a suppression", "ends of suppressions"),
    ]
    let parts = words.compactMap { right, one, other -> String? in
      let times = late.filter { $0.right == right }.map(\.time)
      let days = Set(times.map(day)).sorted().joined(separator: ", ")
      return times.isEmpty ? nil : "\(TextFormat.count(times.count, one, other)) (\(days))"
    }
    return """
      Not repeated: \(parts.joined(separator: "; ")). Another pseudonym key wrote these lines of the erasure journal, so \
      erased data of these days may be back. Restore a backup from after \(day(last.time)) instead. Without one, restore \
      this backup with RINGFENCE_PSEUDONYM_KEY set to that key, back up, and restore the new backup with the present key.
      """
  }
}

extension CommandContext {
  /// The rights of owners and reporters, with the journal of this data folder.
  func rights() throws -> RightsService {
    RightsService(
      stores: stores, pseudonymizer: try folder.pseudonymizer(), journal: try folder.journal,
      gateways: try folder.settings.ownerCodes?.map(\.absoluteString) ?? [],
      codesPerDay: try folder.settings.ownerCodesPerDay)
  }
}

extension DataFolder {
  var journal: ErasureJournal {
    get throws { ErasureJournal(path: try settings.erasureJournal ?? "\(path)/\(ErasureJournal.fileName)") }
  }
}
