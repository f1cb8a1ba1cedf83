// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage

/// `ringfence app create NAME`
struct AppCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an app and print its first key.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var audit: AuditOption

  @Argument(help: "Name of the app, 1 to 80 characters.")
  var name: String

  @Option(help: "Scopes of the key, separated by commas.")
  var scopes = AppScopes.all.names.joined(separator: ",")

  @Option(help: .value("days", "Days until the key expires. Default: never."))
  var expiresIn: Int?

  func validate() throws {
    guard App.isName(name) else {
      throw ValidationError("The name is not valid. Use 1 to 80 characters on one line without control characters.")
    }
    _ = try AppScopes(argument: scopes)
    try checkDays(expiresIn, "--expires-in", from: 1)
  }

  func run() async throws {
    try await CommandContext.open(database, owns: false, logger: .quiet) { context in
      try await withAppFailures {
        let now = Date()
        print(
          try await context.stores.apps.create(
            name: name, scopes: AppScopes(argument: scopes), expiresAt: expiresIn.map { now + Double($0) * 86_400 },
            by: audit.by, at: now
          ).key)
      }
    }
  }
}

/// - Throws: `ValidationError` if the days are out of range.
func checkDays(_ days: Int?, _ option: String, from least: Int) throws {
  if let days, !(least...3_650).contains(days) {
    throw ValidationError("\(option) is \(days) days. Use \(least) to 3650.")
  }
}
