// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import PostgreSQL
import TestSupport
import Testing

@testable import ModerationSite
@testable import RingfenceCommand

/// An account's own keys, its first password, and its navigation on pages that do not exist.
@Suite(.database) struct ShortcutPageTests {
  private let number: Int64 = 33_199_000_248
  private let path = "/moderation/account/shortcuts"

  private func stored(_ name: String) async throws -> String? {
    try await TestDatabase.current.pool.withConnection { connection in
      try await connection.query("SELECT shortcuts FROM accounts WHERE name = \(name)").first?
        .decode(0, as: String?.self)
    }
  }

  private static func fields(_ changes: [ShortcutKeys.Action: String] = [:]) -> [(String, String)] {
    ShortcutKeys.Action.allCases.map { ("key_\($0.rawValue)", changes[$0] ?? String($0.standardKey)) }
  }

  @Test func `keys are remapped turned off and restored`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let other = try await ModeratorClient.signIn(server, as: "Bob")
      let uri = "/moderation/numbers/\(number)"
      #expect(try await client.page(uri).contains(#"value="block" data-key="b""#))

      let page = try await client.page("/moderation/account")
      let remapped = try await client.send(page, to: path, Self.fields([.block: "X", .note: ""]) + [("on", "1")])
      #expect(remapped.headers[.location] == "/moderation/account?done=shortcuts")
      #expect(try await stored("Ada")?.hasPrefix("on block=x identify=i ") == true)
      let own = try await client.page(uri)
      #expect(own.contains(#"value="block" data-key="x""#) && own.contains("<dt><kbd>x</kbd></dt>"))
      #expect(!own.contains("data-keys=\"off\"") && own.contains(#"aria-label="Private note" data-field-key="""#))
      #expect(try await other.page(uri).contains(#"data-key="b""#), "Another account keeps its keys.")
      #expect(try await client.page("/moderation/account").contains(#"name="key_block" value="x""#))

      let taken = try await client.send(page, to: path, Self.fields([.allow: "b"]) + [("on", "1")])
      #expect(taken.status == .unprocessableContent)
      #expect(taken.text.contains("Another action has the key for “Allow” already."))
      #expect(taken.text.contains(#"name="key_allow" value="b" maxlength="1""#), "What was typed is kept.")
      #expect(taken.text.contains("autofocus"))
      let digit = try await client.send(page, to: path, Self.fields([.allow: "1"]))
      #expect(digit.status == .unprocessableContent && digit.text.contains("Enter one Latin letter"))
      #expect(try await stored("Ada")?.hasPrefix("on block=x ") == true)

      #expect(try await client.send(page, to: path, Self.fields()).status == .seeOther)
      #expect(try await stored("Ada")?.hasPrefix("off block=b ") == true)
      let off = try await client.page(uri)
      #expect(off.contains("<body data-keys=\"off\">") && off.contains(#"value="block" data-key="""#))
      #expect(!off.contains("id=\"keys\""))
      #expect(try await client.send(page, to: path, [("reset", "1")]).status == .seeOther)
      #expect(try await stored("Ada") == nil)
    }
  }

  @Test func `after the first password comes the queue`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page("/moderation/account?welcome=1")
      let word = [("new", "seven small elephants"), ("again", "seven small elephants")]
      let first = try await client.send(page, to: "/moderation/account/password", word)
      #expect(first.status == .seeOther && first.headers[.location] == "/moderation/queue")
    }
  }

  @Test func `a page that does not exist keeps the navigation`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      for uri in ["/moderation/nothing", "/nothing", "/moderation/numbers/0"] {
        let answer = try await client.get(uri)
        #expect(answer.status == .notFound && answer.text.contains("<nav class=\"side\""), "\(uri)")
        #expect(answer.text.contains("href=\"/moderation/queue\""), "\(uri)")
      }
      let stranger = try await Visitor(server).get("/nothing")
      #expect(stranger.status == .notFound && !stranger.text.contains("<nav"))
    }
  }
}
