import ArgumentParser
import Foundation
import Storage

/// `ringfence app`
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Apps that send reports, and their keys.",
    discussion: """
      A key is printed once, when it is made; stored is its hash. What a key may do is some of: \
      \(AppScopes.all.names.joined(separator: ", ")).
      """,
    subcommands: [
      AppCreate.self, AppList.self, AppKeys.self, AppRotate.self, AppRevoke.self, AppScopesCommand.self,
      AppWithdraw.self,
    ])
}

/// Who does it, for the audit log.
struct PersonOption: ParsableArguments {
  @Option(help: "Who does this.")
  var by = "command line"

  func validate() throws {
    guard (1...80).contains(by.count) else { throw ValidationError("--by is a name of 1 to 80 characters.") }
  }
}

extension AppScopes {
  /// - Parameter text: names with commas between.
  init(argument text: String) throws {
    guard let scopes = AppScopes(names: text.split(separator: ",")) else {
      throw ValidationError("Scopes are some of \(AppScopes.all.names.joined(separator: ", ")), with commas between.")
    }
    self = scopes
  }
}

/// Turns what the store says into the command's end.
func withAppFailures<Result>(_ body: () async throws -> Result) async throws -> Result {
  do {
    return try await body()
  } catch let error as AppError {
    throw CommandFailure.failed("\(error)")
  }
}
