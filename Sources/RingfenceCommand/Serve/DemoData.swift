// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Importing
import Intake
import Publishing
import Storage
import Timestamps

/// Demo data for trying out the server.
struct DemoData {
  let context: CommandContext

  private static let seed: UInt64 = 1
  private static let complaints = 20_000
  /// The secret of the data folder with the time at which the demo complaints end.
  private static let endFile = "sample-end"
  private static let list = "sample"

  /// Loads demo complaints and cases and publishes twice; creates the demo app's key once, and a new sign-in link each
  /// time.
  func prepare() async throws -> Welcome {
    let key = try await key()
    let latest = try await context.stores.publications.latest()
    if latest == nil {
      // Stored, so that an interrupted load generates the same complaints when it continues on another day.
      let end = try context.folder.secret(Self.endFile) {
        Timestamp.format(Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 86_400).rounded(.down) * 86_400))
      }
      try await load(endingAt: Timestamp.parse(end) ?? Date())
      try await cases(key: key).prepare()
      _ = try await context.publish(PublicationRequest(time: Date()))
    }
    // A database with one publication of its own, and no demo complaints, stays as it is.
    let isDemo = try context.folder.storedSecret(Self.endFile) != nil
    if latest == nil || (latest?.serial == 1 && isDemo) {
      try await cases(key: key).complete()
      _ = try await context.publish(PublicationRequest(time: Date()))
    }
    return Welcome(
      key: key,
      token: try await context.stores.sessions.makeSignInToken(for: "Administrator", role: .administrator, at: Date()),
      dataFolder: context.folder.path)
  }

  /// The demo app's key. The one in the data folder may belong to another database.
  private func key() async throws -> String {
    let file = "sample-app.key"
    if let key = try context.folder.storedSecret(file), try await context.stores.apps.app(key: key) != nil {
      return key
    }
    let key = try await makeKey()
    try context.folder.replaceSecret(file, with: key)
    return key
  }

  private func makeKey() async throws -> String {
    let name = "Demo app"
    do {
      return try await context.stores.apps.create(name: name, at: Date()).key
    } catch AppError.nameTaken {
      return try await context.stores.apps.rotate(name: name, at: Date())
    }
  }

  private func cases(key: String) async throws -> DemoCases {
    guard let app = try await context.stores.apps.app(key: key) else { throw AppError.noApp("Demo app") }
    let list = try await context.stores.apps.source(named: Self.list, at: Date())
    return DemoCases(context: context, app: app.id, list: list.id, time: Date())
  }

  private func load(endingAt end: Date) async throws {
    let path = "\(context.folder.path)/sample.jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let step = StatusLine("Making sample complaints")
    try ComplaintSimulator.standard(seed: Self.seed, complaints: Self.complaints, endingAt: end).write(to: path)
    step.finish()
    _ = try await context.importComplaints(
      from: path, format: .jsonLines, source: Self.list, title: "Loading sample complaints")
  }
}

/// The text that `make run` prints after the server has started.
struct Welcome {
  let key: String
  let token: String
  let dataFolder: String

  /// The command line of this program that creates another link, quoted for a shell.
  private func linkCommand(_ address: String) -> String {
    [CommandLine.arguments[0], "sign-in-link", "Administrator", "--data", dataFolder, "--url", address].map { word in
      let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "+-./:@_,=".contains($0) }
      return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }.joined(separator: " ")
  }

  func text(address: String) -> String {
    let time = Timestamp.format(Date())
    return """

      Ringfence is running. Stop it with Ctrl-C; its data stays.

      Moderation, signed in (the link works once)
        \(address)/sign-in?token=\(token)
      Another such link
        \(linkCommand(address))
      API key of the sample app
        \(key)
      Send a complaint
        curl -i \(address)/v1/reports -H 'Authorization: Bearer \(key)' -H 'Content-Type: application/json' \
      -d '{"number":"+12015550123","category":"robocall","reporter":"me","report_id":"\(UUID().uuidString.lowercased())",\
      "reported_at":"\(time)"}'
      Manifest of the newest publication
        \(address)/v1/manifest

      """
  }
}
