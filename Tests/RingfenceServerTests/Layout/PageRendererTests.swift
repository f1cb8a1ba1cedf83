// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
@testable import ModerationSite
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct PageRendererTests {
  /// Stores log records.
  private struct KeptLog: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    let lines: Lines

    final class Lines: Sendable {
      let all = Mutex<[String]>([])
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.all.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
  }

  /// Responses of a router with one working page and failing pages, and the log.
  private func answers(_ paths: [String], accept: String) async throws -> (answers: [TestResponse], log: [String]) {
    let pages = try PageRenderer(
      templateFolder: Checkout.templates, catalog: MessageCatalog(folder: Checkout.texts))
    let router = Router(context: ServerRequestContext.self)
    router.add(
      middleware: ErrorMiddleware(
        page: { problem, _, context in
          try pages.page("problem", problem.record(pages.texts(context)), context)
        }, failures: FailureLog()))
    let values: TemplateRecord = [
      "token": "", "next": "", "name": "", "problem": "", "provider": "", "providerAddress": "", "passkeyAddress": "",
    ]
    router.get("works") { _, context in try pages.page("sign-in", values, context) }
    router.get("missing") { _, context in try pages.page("no-such-page", [:], context) }
    let lines = KeptLog.Lines()
    let found = try await router.answers(
      to: paths, headers: [.accept: accept], logger: Logger(label: "test") { _ in KeptLog(lines: lines) })
    return (found, lines.all.withLock { $0 })
  }

  @Test func `a page that cannot be rendered is a logged problem`() async throws {
    let (answers, log) = try await answers(["/works", "/missing"], accept: "application/json")
    #expect(answers.map(\.status) == [.ok, .internalServerError])
    #expect(answers[1].headers[.contentType] == "application/problem+json")
    #expect(String(buffer: answers[1].body).contains("/problems/internal"))
    let failures = log.filter { $0.hasPrefix("request failed") }
    #expect(failures.count == 1 && failures.first?.contains("no-such-page") == true)
  }

  @Test func `a browser gets an HTML page for a problem`() async throws {
    let (answers, log) = try await answers(["/missing"], accept: "text/html")
    #expect(answers.first?.headers[.contentType] == "text/html; charset=utf-8")
    #expect(answers.first.map { !String(buffer: $0.body).isEmpty } == true)
    #expect(log.filter { $0.hasPrefix("request failed") }.count == 1)
  }
}
