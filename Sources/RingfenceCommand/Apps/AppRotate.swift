import ArgumentParser
import Foundation
import Storage

/// `ringfence app rotate NAME`
struct AppRotate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Print a new key of an app; its old keys go on for some days.",
    discussion: "The new key may do what the newest valid one may.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var person: PersonOption

  @Argument(help: "The app's name.")
  var name: String

  @Option(help: "Days for which the old keys go on; 0 ends them now.")
  var overlap = Int(AppStore.overlap / 86_400)

  @Option(help: "Days until the new key is no longer valid; it has no end unless this is given.")
  var expiresIn: Int?

  func validate() throws {
    try checkDays(overlap, "--overlap", from: 0)
    try checkDays(expiresIn, "--expires-in", from: 1)
  }

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures {
        let now = Date()
        print(
          try await context.stores.apps.rotate(
            name: name, overlap: Double(overlap) * 86_400, expiresAt: expiresIn.map { now + Double($0) * 86_400 },
            by: person.by, at: now))
      }
    }
  }
}

/// `ringfence app revoke KEY`
struct AppRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key for good; servers believe it for ten seconds more at most.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var person: PersonOption

  @Argument(help: ArgumentHelp("The key's id, as `ringfence app keys` has it.", valueName: "key"))
  var keyID: Int32

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures { try await context.stores.apps.revoke(keyID: keyID, by: person.by, at: Date()) }
    }
    print("Key \(keyID) is revoked. Its reports stay; take them back with: ringfence app withdraw \(keyID)")
  }
}

/// `ringfence app scopes KEY SCOPES`
struct AppScopesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scopes", abstract: "Change what a key may do, such as: ringfence app scopes 3 report,lookup")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var person: PersonOption

  @Argument(help: ArgumentHelp("The key's id, as `ringfence app keys` has it.", valueName: "key"))
  var keyID: Int32

  @Argument(help: "Some of \(AppScopes.all.names.joined(separator: ", ")), with commas between.")
  var scopes: String

  func validate() throws {
    _ = try AppScopes(argument: scopes)
  }

  func run() async throws {
    let scopes = try AppScopes(argument: scopes)
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures {
        try await context.stores.apps.change(keyID: keyID, to: scopes, by: person.by, at: Date())
      }
    }
    print("Key \(keyID) may now: \(scopes.names.joined(separator: ", ")).")
  }
}
