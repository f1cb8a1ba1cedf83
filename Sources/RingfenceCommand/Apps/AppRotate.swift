// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage

/// `ringfence app rotate NAME`
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
            by: audit.by, at: now))
      }
    }
  }
}

/// `ringfence app revoke KEY`
struct AppRevoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a key. This takes effect within 10 seconds and cannot be undone.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: .value("key", "ID of the key, as shown by `ringfence app keys`."))
  var keyID: Int32

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures { try await context.stores.apps.revoke(keyID: keyID, by: audit.by, at: Date()) }
    }
    print(
      "Key \(keyID) is revoked. Its reports still count. "
        + "Withdraw them with: ringfence app withdraw \(keyID) --reason TEXT")
  }
}

/// `ringfence app scopes KEY SCOPES`
struct AppScopesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scopes", abstract: "Change the scopes of a key, for example: ringfence app scopes 3 report,lookup")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: .value("key", "ID of the key, as shown by `ringfence app keys`."))
  var keyID: Int32

  @Argument(help: "Some of \(AppScopes.all.names.joined(separator: ", ")), separated by commas.")
  var scopes: String

  func validate() throws {
    _ = try AppScopes(argument: scopes)
  }

  func run() async throws {
    let scopes = try AppScopes(argument: scopes)
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures {
        try await context.stores.apps.change(keyID: keyID, to: scopes, by: audit.by, at: Date())
      }
    }
    print("Scopes of key \(keyID): \(scopes.names.joined(separator: ", ")).")
  }
}
