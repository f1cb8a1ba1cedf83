import Curation
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

/// What is stored or explained in English is said in the reader's language.
@Suite(.database) struct RussianPagesTests {
  private let number: Int64 = 33_162_000_248
  private let details: [BrigadeDetection.Figures] = [
    .marked(complainers: 12, newcomers: 5, network: 3, text: 4, others: 2),
    .marked(complainers: 9, newcomers: 0, network: 0, text: 7, others: 2),
    .oneDay(peak: 14, complainers: 15, others: 1), .split(toxic: 8, legitimate: 6),
  ]

  /// Of visible words, those that are not Russian and stand in no element that says it is English.
  private static func english(_ page: String) -> [String] {
    let main = page.components(separatedBy: "<main id=\"main\">").dropFirst().joined()
    return main.replacing(/<style.*?<\/style>|<(\w+)[^>]*\slang="en"[^>]*>.*?<\/\1>/.dotMatchesNewlines(), with: " ")
      .replacing(/<kbd>.*?<\/kbd>|<time.*?<\/time>|<code>.*?<\/code>/.dotMatchesNewlines(), with: " ")
      .replacing(/<[^>]*>/, with: "\n").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains(/[A-Za-z]{3,}/) }
  }

  private func prepare(_ detail: String, rule: BrigadeDetection.Rule) async throws {
    let pool = TestDatabase.current.pool
    let reports = (0..<25).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: Date() - Double(index) * 7_200, category: .fraud,
        reporter: Array(repeating: UInt8(index), count: 16), network: Array(repeating: UInt8(index % 7), count: 8))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: Date())
    _ = try await HoldStore(pool: pool).hold(
      [(number, BrigadeDetection.Finding(rule: rule, detail: detail, reporters: []))], at: Date())
    try await pool.withConnection { connection in
      _ = try await connection.query(
        """
        INSERT INTO appeals (number, appeal_id, statement, filed_at, state)
        VALUES (\(number), \(UUID()), 'Это номер моей пекарни.', \(Date()), 'open')
        """)
    }
  }

  @Test(arguments: 0..<4) func aCaseAndAnAppealHaveNoSentenceInEnglish(_ index: Int) async throws {
    let rules: [BrigadeDetection.Rule] = [.newReporters, .oneText, .oneDay, .split]
    try await prepare(details[index].sentence, rule: rules[index])
    try await TestServer.run { server in
      let desk = try await ModeratorClient.signIn(server, as: "Ада")
      for uri in ["/moderation/numbers/\(number)", "/moderation/appeals/\(number)"] {
        let page = try await desk.get(uri, headers: [.acceptLanguage: "ru"]).text
        #expect(page.contains("<html lang=\"ru\">") && page.contains("Задержан"), "\(uri)")
        #expect(Self.english(page) == [], "\(uri)")
        let texts = try MessageCatalog(folder: Checkout.texts)[.russian]
        #expect(page.contains(try #require(texts.figures(details[index].sentence))), "\(uri)")
      }
      // What no rule of this version says is shown as it is, and said to be English.
      try await TestDatabase.current.pool.withConnection { connection in
        _ = try await connection.query("UPDATE holds SET detail = 'Something else.'")
      }
      let page = try await desk.get("/moderation/numbers/\(number)", headers: [.acceptLanguage: "ru"]).text
      #expect(page.contains("<span lang=\"en\">Something else.</span>"))
    }
  }

  @Test func protectedNumbersSayWhyInTheReadersWords() async throws {
    try await TestServer.run { server in
      let desk = try await ModeratorClient.signIn(server, as: "Ада")
      let page = try await desk.get("/moderation/numbers/112", headers: [.acceptLanguage: "ru"]).text
      #expect(page.contains("Под защитой: номер экстренной службы.") || page.contains("Под защитой: короткий номер."))
      #expect(Self.english(page) == [])
    }
  }

  @Test func pagesOfModeratorsHaveNoSentenceInEnglish() async throws {
    try await TestServer.run { server in
      let desk = try await ModeratorClient.signIn(server, as: "Ада", role: .administrator)
      for area in [
        "", "/queue", "/search", "/appeals", "/reporters", "/ranges", "/protected", "/thresholds", "/publications",
        "/audit", "/accounts", "/account",
      ] {
        let page = try await desk.get("/moderation\(area)", headers: [.acceptLanguage: "ru"]).text
        // Names of things, and not sentences, may stand in Latin letters.
        let sentences = Self.english(page).filter { $0.contains(/[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}/) }
        #expect(sentences == [], "\(area)")
      }
    }
  }

  @Test func figuresAreReadOutOfTheirSentences() {
    for figures in details { #expect(BrigadeDetection.Figures(figures.sentence) == figures) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let n = (0..<5).map { _ in Int.random(in: 0...100_000, using: &random) }
      let all: [BrigadeDetection.Figures] = [
        .marked(complainers: n[0], newcomers: n[1] % 3, network: n[2] % 3, text: n[3] + 1, others: n[4]),
        .oneDay(peak: n[0], complainers: n[1], others: n[2]), .split(toxic: n[3], legitimate: n[4]),
      ]
      for figures in all { #expect(BrigadeDetection.Figures(figures.sentence) == figures) }
    }
    for text in [
      "", "Of 5 reporters who complain, ; 2 are neither.", "5 of x reporters complained on one day, 1 before or after.",
    ] {
      #expect(BrigadeDetection.Figures(text) == nil, "\(text)")
    }
  }
}
