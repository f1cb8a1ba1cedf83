// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite

@Suite(.database) struct AuditPageTests {
  @Test func `an audit change lists the fields that differ`() {
    let changes = AuditChange.all(
      from: ["role": "triage", "same": "x", "gone": "1"], to: ["role": "moderator", "same": "x"])
    #expect(
      changes == [
        AuditChange(field: "gone", before: "1", after: ""),
        AuditChange(field: "role", before: "triage", after: "moderator"),
      ])
    #expect(AuditChange.all(from: nil, to: nil).isEmpty)
  }

  @Test func `each action has a message, and each message an action`() throws {
    let file = URL(filePath: Checkout.texts).appending(path: "en/audit.json")
    let texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    let named = texts.keys.compactMap { $0.hasPrefix("audit.action.") ? String($0.dropFirst(13)) : nil }
    #expect(named.sorted() == AuditAction.allCases.map(\.rawValue).sorted())
  }

  @Test func `coded values of a change are shown in the language of the reader`() throws {
    let texts = try MessageCatalog(folder: Checkout.texts)[.russian]
    let said = [
      AuditChange(field: "role", before: "triage", after: "moderator"),
      AuditChange(field: "category", before: "fraud", after: "as_reported"),
      AuditChange(field: "label", before: "", after: "role"), AuditChange(field: "enter.heat", before: "1", after: "2"),
      AuditChange(field: "strange", before: "a", after: "b"),
      AuditChange(field: "cap", before: GateFinding.tooManyEntries(entries: 20, maximum: 10).json, after: ""),
      AuditChange(field: "cap", before: "20 entries", after: ""),
    ].map { $0.said(texts) }
    #expect(
      said == [
        AuditChange(field: "роль", before: texts("role.triage"), after: texts("role.moderator")),
        AuditChange(field: "категория", before: texts("category.fraud"), after: "как в сообщениях"),
        AuditChange(field: "подпись", before: "", after: "role"),
        AuditChange(field: texts("thresholds.field.enter.heat"), before: "1", after: "2"),
        AuditChange(field: "strange", before: "a", after: "b"),
        AuditChange(field: texts("publications.gate-cap"), before: "Записей: 20. Допускается не больше 10.", after: ""),
        AuditChange(field: texts("publications.gate-cap"), before: "20 entries", after: ""),
      ])
  }

  @Test func `the audit page and its export show the same events`() async throws {
    let auditLog = AuditLog(pool: TestDatabase.current.pool)
    for index in 0..<120 {
      let actor = Actor.commandLine(index % 2 == 0 ? "Ada" : "<Bob>")
      // Ada's events are of commands.
      let event = CommandAuthor.$current.withValue(index % 2 == 0 ? CommandAuthor(name: "Ada", role: .triage) : nil) {
        actor.did(
          .protectionAdd, to: "+4930\(index)", before: ["a": "1"], after: ["a": "=2", "b": "3"], because: "＝cmd|x")
      }
      try await auditLog.append(event, at: now + Double(index / 7))
    }
    try await TestServer.run { server in
      let session = try await server.session(.moderator)
      func get(_ path: String) async throws -> String {
        let response = try await server.client.execute(
          uri: path, method: .get, headers: [.cookie: "ringfence_session=\(session)"])
        #expect(response.status == .ok)
        return String(buffer: response.body)
      }
      var address: String? = "/moderation/audit?action=protection."
      var ids: [Substring] = []
      var pages = 0
      while let path = address {
        let page = try await get(path)
        #expect(page.contains("&lt;Bob&gt; <span class=\"quiet small\">administrator</span>"))
        #expect(!page.contains("<Bob>"))
        #expect(page.contains("Ada <span class=\"quiet small\">triage · command line</span>"))
        // An event is a line that unfolds; the filter offers the actions, and keeps the beginning of some.
        #expect(page.contains("<details class=\"line\"><summary>＝cmd|x</summary>"))
        #expect(
          page.contains("<option value=\"protection.\" selected>") && page.contains("<option value=\"note.add\">"))
        ids += page.matches(of: /<tr id="([0-9a-f-]{36})"/).map(\.1)
        address = page.firstMatch(of: /href="([^"]*)" rel="next"/).map { String($0.1).replacing("&amp;", with: "&") }
        pages += 1
      }
      #expect(pages == 3 && ids.count == 120 && Set(ids).count == 120)

      let csv = try await get("/moderation/audit/export.csv?actor=Ada&action=protection.")
      let lines = csv.split(separator: "\r\n")
      #expect(lines.count == 61 && lines[0] + "\r\n" == AuditCSV.head)
      #expect(lines[1].contains(",Ada,triage,protection.add,'+49"))
      #expect(lines[1].hasSuffix(",a: 1,\"a: =2; b: 3\",'＝cmd|x,command line"))
      #expect(try await get("/moderation/audit?from=2020-01-01&to=2020-01-02").contains("No events match the filter"))
      // Unreadable filters are ignored.
      _ = try await get("/moderation/audit?from=yesterday&after=x_y&actor=%00&to=9999-99-99")
    }
  }
}
