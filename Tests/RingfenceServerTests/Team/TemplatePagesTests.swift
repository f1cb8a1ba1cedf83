// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import HTTPServer
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import ModerationSite
@testable import RingfenceCommand

@Suite(.database) struct TemplatePagesTests {
  private let number: Int64 = 33_199_000_248
  private var templates: TemplateStore { TemplateStore(pool: pool) }
  private let path = "/moderation/templates"

  @Test func `a team's reasons are offered by language and category`() async throws {
    _ = try await pool.run(SQL.enqueueCases([(number, .held)], at: Date()))
    try await pool.execute("UPDATE queue SET category_id = 1")
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page("\(path)?language=en&category=fraud")
      // The built-in texts are the start of a list.
      #expect(page.contains("value=\"The reports are not credible.\""))
      let texts = [
        ("text", "Our own reason."), ("text", "  "), ("text", "A known business that people want to recognize."),
      ]
      let saved = try await chief.send(page, to: path, texts)
      #expect(saved.headers[.location] == "\(path)?kind=reason&language=en&category=fraud&done=saved")
      let set = try await templates.version()
      #expect(set.version == 1)
      // A built-in text stays a code.
      let fraud = TextTemplates.List(.reason, language: "en", category: .fraud)
      #expect(set[fraud] == [.own("Our own reason."), .builtIn("known_business")])
      #expect(set[TextTemplates.List(.reason, language: "ru", category: .fraud)].count == 5)

      let ada = try await ModeratorClient.signIn(server, as: "Ada")
      let form = try await ada.page("/moderation/numbers/\(number)")
      #expect(
        form.contains("name=\"common_reason\" value=\"Our own reason.\"") && form.contains("value=\"known_business\""))
      #expect(!form.contains("value=\"fraud_quoted\""))
      #expect(try await ada.get(path).status == .forbidden)
    }
  }

  @Test func `lists and accounts can have every language of the pages`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      for language in Language.allCases.map(\.rawValue) {
        let page = try await chief.page("\(path)?kind=answer&language=\(language)")
        let saved = try await chief.send(page, to: path, [("text", "Our own answer.")])
        #expect(saved.status == .seeOther, "\(language)")
        #expect(try await templates.version()[.init(.answer, language: language)] == [.own("Our own answer.")])
        let changed = try await pool.execute("UPDATE accounts SET language = \(language)")
        #expect(changed > 0, "\(language)")
      }
    }
  }

  @Test func `a list, an outcome or a text that does not exist is refused, and the input is kept`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let cases: [([(String, String)], String)] = [
        ([("kind", "poem")], "The kind “poem”"), ([("language", "tlh")], "The language “tlh”"),
        ([("category", "luck")], "The category “luck”"), ([("outcome", "both")], "The outcome “both”"),
        (Array(repeating: ("text", "One more."), count: TextTemplates.most), "at most \(TextTemplates.most) texts"),
      ]
      let page = try await chief.page("\(path)?kind=answer&language=en")
      for (fields, said) in cases {
        let form = fields.reduce(page) { page, field in
          page.replacing(
            try! Regex("name=\"\(field.0)\" value=\"[^\"]*\""), with: "name=\"\(field.0)\" value=\"\(field.1)\"")
        }
        let more = fields.filter { ["text", "outcome"].contains($0.0) }
        let answer = try await chief.send(form, to: path, [("text", "Never.")] + more)
        #expect(answer.status == .unprocessableContent && answer.text.contains(said), "\(said)")
        #expect(answer.text.contains("Never."), "\(said)")
      }
      #expect(try await templates.version().version == 0)
    }
  }

  @Test func `an answer has an outcome`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let page = try await chief.page("\(path)?kind=answer&language=en")
      let texts = [
        ("text", ""), ("outcome", "uphold"), ("text", "Never."), ("outcome", "reject"), ("text", "Perhaps."),
        ("outcome", ""),
      ]
      #expect(try await chief.send(page, to: path, texts).status == .seeOther)
      let list = TextTemplates.List(.answer, language: "en")
      #expect(try await templates.version()[list] == [.own("Never.", for: .reject), .own("Perhaps.")])
      let saved = try await chief.page("\(path)?kind=answer&language=en")
      #expect(saved.contains("<option value=\"reject\" selected>For rejected appeals"))
      // Another list keeps it.
      let reasons = try await chief.page("\(path)?kind=reason&language=en")
      _ = try await chief.send(reasons, to: path, [("text", "Own.")])
      #expect(try await templates.version()[list].first?.outcome == .reject)
    }
  }

  @Test func `each save is a version and an old form replaces no newer one`() async throws {
    try await TestServer.run(configure: { $0.site.secondFactor = .nobody }) { server in
      let chief = try await ModeratorClient.signIn(server, as: "Chief", role: .administrator)
      let answers = try await chief.page("\(path)?kind=answer&language=en")
      let reasons = try await chief.page("\(path)?kind=reason&language=en")
      _ = try await chief.send(answers, to: path, [("text", "Thank you.\nWe have checked it.")])
      let stale = try await chief.send(reasons, to: path, [("text", "Typed with care.")])
      #expect(stale.status == .unprocessableContent && stale.text.contains("Typed with care."))
      #expect(stale.text.contains("Another administrator has saved a version"))
      _ = try await chief.send(stale.text, to: path, [("text", "Typed with care.")])
      let long = try await chief.send(reasons, to: path, [("text", "Two\nlines.")])
      #expect(long.status == .unprocessableContent)
      // The second version has the list of the first.
      let set = try await templates.version()
      #expect(set.version == 2 && set.lists.count == 2)
      #expect(set[.init(.answer, language: "en")] == [.own("Thank you.\nWe have checked it.")])
      #expect(try await templates.version(1).lists.count == 1)
      // An empty list is built in again.
      let newest = try await chief.page("\(path)?kind=answer&language=en")
      _ = try await chief.send(newest, to: path, [("text", "")])
      #expect(try await templates.version()[.init(.answer, language: "en")].count == 4)
      #expect(try await templates.history(limit: 10).map(\.version) == [3, 2, 1])
      #expect(try await chief.page("\(path)?kind=answer&language=en&version=1").contains("We have checked it."))
    }
  }
}
