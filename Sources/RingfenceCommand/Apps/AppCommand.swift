// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Storage

/// `ringfence app`
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Manage apps and their API keys.",
    discussion: """
      A key is printed once, when it is created. Only its hash is stored. Scopes of a key: \
      \(AppScopes.all.names.joined(separator: ", ")).
      """,
    subcommands: [
      AppCreate.self, AppList.self, AppKeys.self, AppRotate.self, AppRevoke.self, AppScopesCommand.self,
      AppWithdraw.self,
    ])
}

extension AppScopes {
  /// - Parameter text: names separated by commas.
  init(argument text: String) throws {
    guard let scopes = AppScopes(names: text.split(separator: ",")) else {
      throw ValidationError(
        "\"\(text)\" is not a list of scopes. Use some of \(AppScopes.all.names.joined(separator: ", ")), separated by commas."
      )
    }
    self = scopes
  }
}

/// Converts errors of the store to failures of the command.
func withAppFailures<Result>(_ body: () async throws -> Result) async throws -> Result {
  do {
    return try await body()
  } catch let error as AppError {
    throw CommandFailure.failed("\(error)")
  }
}
