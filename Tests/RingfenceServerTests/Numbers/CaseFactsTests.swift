// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// The summary, the warnings and the comments of a case, and its state in the newest publication.
@Suite(.database) struct CaseFactsTests {
  private let number: Int64 = 33_199_000_248
  private var uri: String { "/moderation/numbers/\(number)" }

  private func report(
    _ reporters: Range<Int>, comment: String?, networks: Int, _ category: ReportCategory = .fraud
  ) async throws {
    let time = Date()
    let reports = reporters.map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: time - Double(index), category: category,
        reporter: Array(repeating: UInt8(index), count: 16), comment: comment,
        network: Array(repeating: UInt8(index % networks + 1), count: 8))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
  }

  @Test func `summary warnings and groups of comments`() async throws {
    try await TestServer.run { server in
      try await report(0..<15, comment: "Scam hospital!", networks: 1)
      try await report(15..<18, comment: "scam  HOSPITAL", networks: 1)
      try await report(18..<24, comment: nil, networks: 6)
      let page = try await ModeratorClient.signIn(server, as: "Ada").page(uri)
      for text in [
        "<span>24 reporters, all new</span>", "<span>1 day</span>", "not met: days", "class=\"chart spark\"",
        "<strong>New reporters:</strong> 24 of 24 reporters are new",
        "<strong>One text:</strong> 18 of 24 reporters sent “Scam hospital!”",
        "reporters share one network", "<strong class=\"times\">18 ×</strong> Scam hospital!", "18 new reporters",
      ] { #expect(page.contains(text), "\(text)") }
      // The warnings precede the decision, and the decision the other facts.
      let places = ["id=\"warnings-title\"", "id=\"strip-title\"", "id=\"decide-title\"", "id=\"comments-title\""].map {
        page.range(of: $0)?.lowerBound
      }
      #expect(places.allSatisfy { $0 != nil } && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
      // Only conditions that are not met are outside the fold.
      let table = try #require(page.components(separatedBy: "<h3>").last)
      let shown = try #require(table.components(separatedBy: "<details>").first)
      #expect(shown.contains("not met") && !shown.contains(">met<"))
      #expect(table.contains("conditions are met</summary>"))
    }
  }

  @Test func `comments on harassment are folded`() async throws {
    try await TestServer.run { server in
      try await report(0..<4, comment: "A vile insult", networks: 2, .harassment)
      try await report(4..<6, comment: "Sells nothing", networks: 2)
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      let fold = try #require(page.firstMatch(of: /(?s)<details class="hidden-comments">.*?<\/details>/))
      #expect(fold.0.contains("<summary>4 comments in the category harassment</summary>"))
      #expect(fold.0.contains("A vile insult") && !fold.0.contains("Sells nothing"))
      // Neither a warning nor anything else shows the text.
      let rest = page.replacing(fold.0, with: "")
      #expect(!rest.contains("A vile insult") && rest.contains("Sells nothing"))
      #expect(rest.contains("4 of 6 reporters sent the same comment in the category harassment"))
    }
  }

  /// A flood of reports does not fill the memory: the page reads the newest 10,000 comments.
  @Test func `a case reads at most 10,000 comments`() async throws {
    let time = Date()
    let reports = (0..<10_003).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: time - Double(index) / 100, category: .fraud,
        reporter: withUnsafeBytes(of: UUID().uuid) { Array($0) }, comment: index < 10_000 ? "One text" : "An old text")
    }
    for start in stride(from: 0, to: reports.count, by: 1_000) {
      let batch = Array(reports[start..<min(start + 1_000, reports.count)])
      _ = try await ReportStore(pool: pool).accept(batch, receivedAt: time)
    }
    let file = try await CaseStore(pool: pool).read(number, at: time)
    #expect(file.comments.map(\.text) == ["One text"])
    #expect(file.comments.map(\.count) == [10_000])
  }

  @Test func `neighbours have their state`() async throws {
    try await TestServer.run { server in
      let time = Date()
      for (offset, index) in [(Int64(1), 1), (2, 2), (3, 3)] {
        let reports = [
          Report(
            number: number + offset, appID: 1, reportID: UUID(), reportedAt: time, category: .fraud,
            reporter: Array(repeating: UInt8(index), count: 16))
        ]
        _ = try await ReportStore(pool: pool).accept(reports, receivedAt: time)
      }
      _ = try await HoldStore(pool: pool).hold(
        [(number + 1, .init(reason: .split(complaints: 5, legitimate: 5), reporters: []))], at: time)
      _ = try await DecisionService(pool: pool).record(
        Decision(number: number + 2, treatment: .allow, decidedBy: "Bob", decidedAt: time))
      let page = try await ModeratorClient.signIn(server, as: "Ada").page(uri)
      let rows = try #require(page.components(separatedBy: "id=\"neighbours-title\"").last)
      for text in ["held, waits for review", "<td>allowed</td>", "<td>not listed</td>"] {
        #expect(rows.contains(text), "\(text)")
      }
    }
  }

  /// The database says whether a number is listed; a server without packs, or with older ones, does not deny it.
  @Test func `a listed number is not in no pack`() async throws {
    let time = Date()
    try await pool.execute(
      "INSERT INTO listings (number, category_id, serial, listed_at) VALUES (\(number), 1, 7, \(time))")
    try await TestServer.run { server in
      let client = try await ModeratorClient.signIn(server, as: "Ada")
      let page = try await client.page(uri)
      #expect(page.contains("Blocked since publication 7"))
      #expect(page.contains("Listed since publication 7. This server has no packs."))
      #expect(!page.contains("No publication yet") && !page.contains("Not in any pack"))
      try await PublicationStore(pool: pool).record(
        Publication(serial: 7, publishedAt: time, asOf: time, manifestSHA256: [UInt8](repeating: 1, count: 32)),
        packs: [], gates: [])
      let known = try await client.page(uri)
      #expect(known.contains("This server has no packs.") && !known.contains("Not in any pack"))
      // A number without a listing.
      #expect(try await client.page("/moderation/numbers/\(number + 9)").contains("not listed"))
    }
  }
}
