// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Curation
import Foundation
import Storage
import Support

struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Manage accounts of moderators and administrators.",
    subcommands: [List.self, Add.self, SetRole.self, Disable.self, Enable.self, Reset.self, Tie.self])

  /// The account that a command changes, and the person who runs it.
  struct Subject: ParsableArguments {
    @OptionGroup private var database: DatabaseOptions

    @Argument(help: "Name of the account, 1 to 80 characters.")
    var name: String

    @OptionGroup private var audit: AuditOption

    func validate() throws { try checkLength(name, "The name", in: 1...TextLimit.author) }

    var actor: Actor { audit.actor }

    /// Opens the database for a change of the account.
    func change(_ body: (AccountStore) async throws -> Void) async throws {
      try await database.open(as: audit) { try await body($0.stores.accounts) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List accounts.")

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
      try await database.open { context in
        let accounts = try await context.stores.accounts.accounts(at: Date())
        guard !accounts.isEmpty else {
          print(
            "There are no accounts. Add one with: ringfence sign-in-link NAME --role administrator")
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

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an account. It signs in with a link of `ringfence sign-in-link`.")

    @OptionGroup var subject: Subject

    @Option(help: "Role: triage, moderator or administrator.")
    var role = Role.moderator

    func run() async throws {
      try await subject.change { try await $0.add(subject.name, role: role, by: subject.actor, at: Date()) }
      print("Added \(subject.name). Create a sign-in link with: ringfence sign-in-link \(quoted(subject.name))")
    }
  }

  /// `ringfence account role NAME ROLE`
  struct SetRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role", abstract: "Change the role of an account, from its next request on.")

    @OptionGroup var subject: Subject

    @Argument(help: "Role: triage, moderator or administrator.")
    var role: Role

    func run() async throws {
      try await subject.change { try await $0.setRole(role, of: subject.name, by: subject.actor, at: Date()) }
      print("\(subject.name) now has the role \(role.rawValue).")
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Disable an account and end its sessions.")

    @OptionGroup var subject: Subject

    func run() async throws {
      try await subject.change {
        try await $0.setDisabled(true, name: subject.name, by: subject.actor, at: Date())
      }
      print("\(subject.name) is disabled. Its sessions have ended.")
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Enable a disabled account.")

    @OptionGroup var subject: Subject

    func run() async throws {
      try await subject.change {
        try await $0.setDisabled(false, name: subject.name, by: subject.actor, at: Date())
      }
      print("\(subject.name) is enabled.")
    }
  }

  struct Reset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the password, second factor, recovery codes, links, sessions and tie of an account.")

    @OptionGroup var subject: Subject

    func run() async throws {
      try await subject.change { try await $0.reset(subject.name, by: subject.actor, at: Date()) }
      print("\(subject.name) is reset. Create a sign-in link with: ringfence sign-in-link \(quoted(subject.name))")
    }
  }
}

extension AccountCommand {
  /// `ringfence account tie NAME SUBJECT`
  struct Tie: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tie an account to a person at the identity provider. It loses its password and its sessions.")

    @OptionGroup var subject: Subject

    @Argument(help: "The claim sub of the person, 1 to 255 characters. The audit log has it after a refused sign-in.")
    var person: String

    func validate() throws { try checkLength(person, "The subject", in: 1...255) }

    func run() async throws {
      guard let issuer = try Settings(of: self).oidcIssuer else {
        throw CommandFailure.failed("oidc-issuer is not set. Set it to the provider's address.")
      }
      try await subject.change {
        try await $0.tie(subject.name, issuer: issuer, subject: person, by: subject.actor, at: Date())
      }
      print("\(subject.name) signs in with \(issuer) from now on.")
    }
  }
}

/// A word quoted for a shell.
func quoted(_ name: String) -> String { "'" + name.replacing("'", with: "'\\''") + "'" }

struct SignInLinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in-link", abstract: "Create a sign-in link that works once, for a day.",
    discussion: """
      Without --url the link has the address of the server that runs with the data folder, or else the one that the \
      settings give.
      """)

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the account; a new account is added.")
  var name: String

  @Option(help: "Role: triage, moderator or administrator. Default: the current role, or moderator for a new account.")
  var role: Role?

  @Option(\.url) var url: String?

  func validate() throws { try checkLength(name, "The name", in: 1...TextLimit.author) }

  func run() async throws {
    let settings = try Settings(of: self)
    try await CommandContext.open(settings) { context in
      let set = Settings.address(url: try settings.url, host: try settings.host, port: try settings.port)
      let address = url == nil ? context.folder.serverAddress ?? set : set
      let token = try await context.stores.sessions.makeSignInToken(for: name, role: role, at: Date())
      print("\(address)/sign-in?token=\(token)")
    }
  }
}

extension Role: ExpressibleByArgument {}
