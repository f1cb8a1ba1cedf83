import ArgumentParser
import Curation
import Foundation
import Storage

/// `ringfence sign-in-link`
struct SignInLinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in-link", abstract: "Make a link that signs a moderator in once, within a day.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "The moderator's name; added when new.")
  var name: String

  @Option(help: "What the account may do from now on: triage, moderator or administrator. A new one is a moderator.")
  var role: Role?

  @Option(\.url) var url: String?

  func validate() throws {
    guard (1...80).contains(name.count) else { throw ValidationError("A name has 1 to 80 characters.") }
  }

  func run() async throws {
    let settings = try database.settings(["url": url])
    let address = Settings.address(url: try settings.url, host: try settings.host, port: try settings.port)
    try await CommandContext.open(settings, owns: false, logger: .quiet) { context in
      let token = try await context.stores.sessions.makeSignInToken(for: name, role: role, at: Date())
      print("\(address)/sign-in?token=\(token)")
    }
  }
}
