// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Storage
import Support

struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Manage apps and their API keys.",
    discussion: """
      A key is printed once, when it is created. Only its hash is stored. Scopes of a key: \(AppScopes.list). \
      Grant vouch only to the server of an app that you trust: it may say since when it knows its users, and from \
      which address they report. Grant history only for the time in which such a server sends its earlier reports, which \
      then count on their own days.
      """,
    subcommands: [
      AppCreate.self, AppList.self, AppKeys.self, AppRotate.self, AppRevoke.self, AppScopesCommand.self,
      AppWithdraw.self, AppAttestationCommand.self, AppFailedCalls.self, AppHistory.self,
    ])
}

extension AppScopes {
  static let list = named.map(\.name).joined(separator: ", ")

  /// - Parameter text: names separated by commas.
  init(argument text: String) throws {
    guard let scopes = AppScopes(names: text.split(separator: ",")) else {
      throw ValidationError(
        "\"\(text)\" is not a list of scopes. Use some of \(AppScopes.list), separated by commas."
      )
    }
    self = scopes
  }
}

struct AppCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an app and print its first key.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: "Name of the app, 1 to 80 characters.")
  var name: String

  @Option(help: "Scopes of the key, separated by commas.")
  var scopes = AppScopes.standard.names.joined(separator: ",")

  @Option(help: .value("days", "Days until the key expires. Default: never."))
  var expiresIn: Int?

  func validate() throws {
    try checkName(name)
    _ = try AppScopes(argument: scopes)
    try check(expiresIn, "--expires-in", in: 1...AppKey.maxDays, unit: " days")
  }

  func run() async throws {
    try await database.open(as: audit) { context in
      let now = Date()
      print(
        try await context.stores.apps.create(
          name: name, scopes: AppScopes(argument: scopes), expiresAt: expiresIn.map { now + Double($0) * 86_400 },
          by: audit.name, at: now
        ).key)
    }
  }
}

struct AppList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List apps with their valid keys, last use, and the origin of their newest reports.",
    discussion: "An app whose reports all come from one network is named, with advice.")

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let (keys, origins) = try await database.open { context in
      (try await context.stores.apps.keys(), try await context.stores.apps.origins())
    }
    let now = Date()
    let apps = Dictionary(grouping: keys, by: \.appName).sorted { $0.key < $1.key }
    let rows = apps.map { name, keys in
      let (valid, origin) = (keys.count { $0.state(at: now) == .valid }, origins[keys[0].appID])
      return [
        name, "\(valid)", keys.compactMap(\.lastUsedAt).max().map { Timestamp.format($0) } ?? "never",
        "\(origin?.reporters ?? 0)", "\(origin?.networks ?? 0)",
      ]
    }
    print(TextTable(["app", "valid keys", "last used", "reporters", "networks"], rows).aligned)
    for (name, keys) in apps where origins[keys[0].appID]?.isOneNetwork == true {
      print(
        "All newest reports of \"\(name)\" come from one network, so they count as one. If its server sends them, you "
          + "trust it, and no phone has its key, let it send client_address: ringfence app scopes \(keys[0].id) "
          + "\(keys[0].scopes.union(.vouch).names.joined(separator: ","))")
    }
    for (name, keys) in apps where origins.failsUnusually(keys[0].appID) {
      print("\"\(name)\" reports far more calls that failed verification than other apps. See the page Apps.")
    }
  }
}

struct AppKeys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "List keys with their scopes, expiry and time of last use.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of an app. Default: all apps.")
  var name: String?

  @Flag(help: "Separate columns by tabs, for programs.")
  var tsv = false

  func run() async throws {
    let keys = try await database.open { context in
      try await context.stores.apps.keys(of: name)
    }
    let now = Date()
    let rows = keys.map { key in
      [
        "\(key.id)", key.appName, key.hint, key.state(at: now).rawValue, key.scopes.names.joined(separator: ","),
        Timestamp.format(key.createdAt), key.createdBy,
        (key.revokedAt ?? key.expiresAt).map { Timestamp.format($0) } ?? "",
        key.lastUsedAt.map { Timestamp.format($0) } ?? "never",
      ]
    }
    let table = TextTable(
      ["key", "app", "begins", "state", "scopes", "created", "by", "ends", "last used"], rows)
    print(tsv ? table.tsv : table.aligned)
  }
}

struct AppRotate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Create a new key of an app; old keys stay valid for some days.",
    discussion: "The new key gets the scopes of the newest valid key.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: "Name of the app.")
  var name: String

  @Option(help: .value("days", "Days until the old keys expire; 0: now."))
  var overlap = Int(AppStore.overlap / 86_400)

  @Option(help: .value("days", "Days until the new key expires. Default: never."))
  var expiresIn: Int?

  func validate() throws {
    try check(overlap, "--overlap", in: 0...AppKey.maxDays, unit: " days")
    try check(expiresIn, "--expires-in", in: 1...AppKey.maxDays, unit: " days")
  }

  func run() async throws {
    try await database.open(as: audit) { context in
      let now = Date()
      print(
        try await context.stores.apps.rotate(
          name: name, overlap: Double(overlap) * 86_400, expiresAt: expiresIn.map { now + Double($0) * 86_400 },
          by: audit.name, at: now))
    }
  }
}

/// The key that a command changes, and the person who runs it.
struct KeyOptions: ParsableArguments {
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: .value("key", "ID of the key, as shown by `ringfence app keys`."))
  var id: Int32
}

struct AppRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key. This takes effect within 10 seconds and cannot be undone.")

  @OptionGroup var key: KeyOptions

  func run() async throws {
    try await key.database.open(as: key.audit) { context in
      try await context.stores.apps.revoke(keyID: key.id, by: key.audit.name, at: Date())
    }
    print(
      "Key \(key.id) is revoked. Its reports still count. "
        + "Withdraw them with: ringfence app withdraw \(key.id) --reason TEXT")
  }
}

struct AppFailedCalls: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "failed-calls",
    abstract: "Set what telephone systems of an app do with calls whose number failed verification (STIR/SHAKEN).",
    discussion: "The verdict about the number stays; this is added to it. It takes effect within 10 seconds.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: "Name of the app.")
  var name: String

  @Argument(help: "nothing, label or reject.")
  var rule: String

  func validate() throws {
    guard FailedCalls(rawValue: rule) != nil else {
      throw ValidationError("\"\(rule)\" is no rule. Pass nothing, label or reject.")
    }
  }

  func run() async throws {
    guard let rule = FailedCalls(rawValue: rule) else { return }
    try await database.open(as: audit) { context in
      try await context.stores.apps.set(failedCalls: rule, ofApp: name, by: audit.name, at: Date())
    }
    print("Calls that failed verification, for \"\(name)\": \(rule.rawValue).")
  }
}

struct AppScopesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scopes", abstract: "Change the scopes of a key, for example: ringfence app scopes 3 report,lookup")

  @OptionGroup var key: KeyOptions

  @Argument(help: "Some of \(AppScopes.list), separated by commas.")
  var scopes: String

  func validate() throws {
    _ = try AppScopes(argument: scopes)
  }

  func run() async throws {
    let scopes = try AppScopes(argument: scopes)
    try await key.database.open(as: key.audit) { context in
      try await context.stores.apps.change(keyID: key.id, to: scopes, by: key.audit.name, at: Date())
    }
    print("Scopes of key \(key.id): \(scopes.names.joined(separator: ", ")).")
  }
}
