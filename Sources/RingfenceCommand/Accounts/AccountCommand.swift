import ArgumentParser
import Curation
import Foundation
import Storage
import Timestamps

/// `ringfence account`
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Accounts of the people who moderate.",
    subcommands: [List.self, Add.self, SetRole.self, Disable.self, Enable.self, Reset.self])

  /// Whom a command is about, and who gives it.
  struct Subject: ParsableArguments {
    @Argument(help: "The account's name, 1 to 80 characters.")
    var name: String

    @Option(help: "Who does it, for the audit log.")
    var by = "command line"

    func validate() throws {
      guard (1...80).contains(name.count) else { throw ValidationError("A name has 1 to 80 characters.") }
      guard (1...80).contains(by.count) else { throw ValidationError("--by has 1 to 80 characters.") }
    }

    var actor: Actor { .commandLine(by) }
  }

  /// `ringfence account list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show who there is.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await CommandContext.open(database, owns: false, logger: .quiet) { context in
        let accounts = try await context.stores.accounts.accounts(at: Date())
        guard !accounts.isEmpty else {
          print(
            "There is no account yet. Make a link for the first one: ringfence sign-in-link NAME --role administrator")
          return
        }
        let rows = accounts.map { account in
          [
            account.name, account.role.rawValue, account.hasPassword ? "yes" : "no",
            account.hasSecondFactor ? "yes" : "no", String(account.sessions),
            account.signedInAt.map(Timestamp.format) ?? "never", account.disabledAt == nil ? "active" : "disabled",
          ]
        }
        print(
          TextTable(["name", "role", "password", "second factor", "sessions", "last sign-in", "state"], rows).aligned)
      }
    }
  }

  /// `ringfence account add NAME`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an account; it gets in by a link of `ringfence sign-in-link`.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: Subject

    @Option(help: "What it may do: triage, moderator or administrator.")
    var role = Role.moderator

    func run() async throws {
      try await change(database) { try await $0.add(subject.name, role: role, by: subject.actor, at: Date()) }
      print("\(subject.name) is there. Make a link: ringfence sign-in-link \(quoted(subject.name))")
    }
  }

  /// `ringfence account role NAME ROLE`
  struct SetRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role", abstract: "Set what an account may do, from its next request on.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: Subject

    @Argument(help: "triage, moderator or administrator.")
    var role: Role

    func run() async throws {
      try await change(database) { try await $0.setRole(role, of: subject.name, by: subject.actor, at: Date()) }
      print("\(subject.name) is \(role.rawValue).")
    }
  }

  /// `ringfence account disable NAME`
  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Keep an account out, and end its sessions.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: Subject

    func run() async throws {
      try await change(database) {
        try await $0.setDisabled(true, name: subject.name, by: subject.actor, at: Date())
      }
      print("\(subject.name) cannot sign in any more. Its sessions have ended.")
    }
  }

  /// `ringfence account enable NAME`
  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let an account in again.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: Subject

    func run() async throws {
      try await change(database) {
        try await $0.setDisabled(false, name: subject.name, by: subject.actor, at: Date())
      }
      print("\(subject.name) can sign in.")
    }
  }

  /// `ringfence account reset NAME`
  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take away an account's password, second factor, recovery codes, links and sessions.")

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var subject: Subject

    func run() async throws {
      try await change(database) { try await $0.reset(subject.name, by: subject.actor, at: Date()) }
      print("\(subject.name) gets in by a new link: ringfence sign-in-link \(quoted(subject.name))")
    }
  }
}

/// A name as it can be given to a shell.
private func quoted(_ name: String) -> String { "'" + name.replacing("'", with: "'\\''") + "'" }

private func change(_ database: DatabaseOptions, _ body: (AccountStore) async throws -> Void) async throws {
  try await CommandContext.open(database, owns: false, logger: .quiet) { context in
    do {
      try await body(context.stores.accounts)
    } catch let error as AccountError {
      throw CommandFailure.failed(error.description)
    }
  }
}
