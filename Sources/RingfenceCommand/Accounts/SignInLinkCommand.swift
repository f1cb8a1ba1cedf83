// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Curation
import Foundation
import Storage

/// `ringfence sign-in-link`
struct SignInLinkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in-link", abstract: "Create a sign-in link that works once, for a day.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Name of the account; a new account is added.")
  var name: String

  @Option(help: "Role: triage, moderator or administrator. Default: the current role, or moderator for a new account.")
  var role: Role?

  @Option(\.url) var url: String?

  func validate() throws {
    guard (1...80).contains(name.count) else {
      throw ValidationError("The name has \(name.count) characters. Use 1 to 80.")
    }
  }

  func run() async throws {
    let settings = try Settings(of: self)
    let address = Settings.address(url: try settings.url, host: try settings.host, port: try settings.port)
    try await CommandContext.open(settings, owns: false, logger: .quiet) { context in
      let token = try await context.stores.sessions.makeSignInToken(for: name, role: role, at: Date())
      print("\(address)/sign-in?token=\(token)")
    }
  }
}
