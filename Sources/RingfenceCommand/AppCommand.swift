import ArgumentParser
import Foundation
import Storage

/// `ringfence app`
struct AppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "app", abstract: "Apps that send reports.", subcommands: [Create.self])

  /// `ringfence app create NAME`
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an app and print its API key, or give an app of this name a new key in place of the old.")

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The app's name, 1 to 80 characters.")
    var name: String

    func validate() throws {
      guard (1...80).contains(name.count) else { throw ValidationError("A name has 1 to 80 characters.") }
    }

    func run() async throws {
      try await Workplace.open(database, owns: false, logger: .quiet) { workplace in
        print(try await workplace.apps.create(name: name, at: Date()).key)
      }
    }
  }
}
