// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import Curation
@testable import HTTPServer

/// Stored or explained English text is shown in the reader's language.
@Suite(.database) struct RussianPagesTests {
  private let number: Int64 = 33_199_000_248
  private let reasons: [HoldReason] = [
    .newReporters(HoldReason.Marks(reporters: 12, new: 5, sameNetwork: 3, sameText: 4, others: 2)),
    .oneText(HoldReason.Marks(reporters: 9, sameText: 7, others: 2)),
    .oneDay(peak: 14, reporters: 15, others: 1), .split(complaints: 8, legitimate: 6),
  ]

  /// Visible words that are not Russian and not in an element marked as English.
  private static func english(_ page: String) -> [String] {
    let main = page.components(separatedBy: "<main id=\"main\">").dropFirst().joined()
    return main.replacing(/<style.*?<\/style>|<(\w+)[^>]*\slang="en"[^>]*>.*?<\/\1>/.dotMatchesNewlines(), with: " ")
      .replacing(/<kbd>.*?<\/kbd>|<time.*?<\/time>|<code>.*?<\/code>/.dotMatchesNewlines(), with: " ")
      .replacing(/<[^>]*>/, with: "\n").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains(/[A-Za-z]{3,}/) }
  }

  private func prepare(_ reason: HoldReason) async throws {
    let pool = TestDatabase.current.pool
    var reports: [Report] = []
    for index in 0..<UInt8(25) {
      let reporter = [UInt8](repeating: index, count: 16)
      let network = [UInt8](repeating: index % 7, count: 8)
      reports.append(
        Report(
          number: number, appID: 1, reportID: UUID(), reportedAt: Date() - Double(index) * 7_200, category: .fraud,
          reporter: reporter, network: network))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: Date())
    _ = try await HoldStore(pool: pool).hold(
      [(number, BrigadeDetection.Finding(reason: reason, reporters: []))], at: Date())
    try await pool.execute(
      """
      INSERT INTO appeals (number, appeal_id, statement, filed_at, state)
      VALUES (\(number), \(UUID()), 'Это номер моей пекарни.', \(Date()), 'open')
      """)
  }

  @Test(arguments: 0..<4) func `a case and an appeal have no English sentence on a Russian page`(_ index: Int)
    async throws
  {
    try await prepare(reasons[index])
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ада")
      for uri in ["/moderation/numbers/\(number)", "/moderation/appeals/\(number)"] {
        let page = try await client.get(uri, headers: [.acceptLanguage: "ru"]).text
        #expect(page.contains("<html lang=\"ru\">") && page.contains("Задержан"), "\(uri)")
        // The name of an app, and an abbreviation.
        #expect(Self.english(page).filter { !["Test app", "Часы недели (UTC)"].contains($0) } == [], "\(uri)")
        let texts = try MessageCatalog(folder: Checkout.texts)[.russian]
        #expect(page.contains(texts.message(reasons[index])), "\(uri)")
      }
    }
  }

  @Test func `the reason of a protected number is in the language of the reader`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ада")
      let page = try await client.get("/moderation/numbers/112", headers: [.acceptLanguage: "ru"]).text
      #expect(page.contains("Под защитой: номер экстренной службы.") || page.contains("Под защитой: короткий номер."))
      #expect(Self.english(page) == [])
    }
  }

  @Test func `moderation pages have no English sentence in Russian`() async throws {
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ада", role: .administrator)
      for area in [
        "", "/queue", "/search", "/appeals", "/reporters", "/ranges", "/protected", "/thresholds", "/publications",
        "/audit", "/accounts", "/account",
      ] {
        let page = try await client.get("/moderation\(area)", headers: [.acceptLanguage: "ru"]).text
        // Names, in contrast to sentences, may be in Latin letters.
        let sentences = Self.english(page).filter { $0.contains(/[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}/) }
        #expect(sentences == [], "\(area)")
      }
    }
  }
}
