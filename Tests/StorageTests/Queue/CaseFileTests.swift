// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import TestSupport
import Testing

@testable import Storage

/// The page of a case has a limit for each of its lists.
@Suite(.database) struct CaseFileTests {
  private let number: Int64 = 33_199_000_248

  private func report(_ place: Int, of number: Int64? = nil, daysAgo: Int = 0, comment: String? = nil) -> Report {
    Report(
      number: number ?? self.number, appID: 1, reportID: UUID(), reportedAt: now - Double(daysAgo * 86_400 + place),
      category: .fraud, reporter: [UInt8](repeating: UInt8(place), count: 16), comment: comment)
  }

  @Test func `comments are read page by page, and each list has its limit`() async throws {
    let store = CaseStore(pool: pool)
    let reports = (1...25).map { report($0, comment: "Text \($0)") } + [report(99, comment: "text, 7!")]
    let neighbours = (1...21).map { report(100 + $0, of: 33_199_000_200 + Int64($0)) }
    _ = try await ReportStore(pool: pool).accept(
      reports + neighbours + [report(1, of: 33_199_000_199), report(1, of: 33_199_000_300)], receivedAt: now)
    let first = try await store.read(number, at: now)
    // One more than a page, so that the page knows of the next one.
    #expect(first.comments.map(\.text) == ["Text 7"] + (1...21).filter { $0 != 7 }.map { "Text \($0)" })
    #expect(first.comments[0].count == 2 && first.reporters.count == 20 && first.neighbours.count == 20)
    #expect(first.neighbours.allSatisfy { (33_199_000_200...33_199_000_299).contains($0.number) })
    let last = first.comments[19]
    let place = CommentPlace(count: Int64(last.count), reportedAt: last.reportedAt, reportID: last.reportID)
    let second = try await store.read(number, commentsBefore: place, at: now)
    #expect(second.comments.map(\.text) == (21...25).map { "Text \($0)" })
  }

  @Test func `the days of a case are the last 64`() async throws {
    let days = [0, 1, 63, 64]
    let reports = days.enumerated().map { place, day in report(place + 1, daysAgo: day) }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: now)
    let today = ComplaintDays.day(of: now)
    let found = try await CaseStore(pool: pool).read(number, at: now).days
    #expect(found.map { today - $0.day } == [63, 1, 0] && found.allSatisfy { $0.complaints == 1 && $0.votes == 0 })
  }
}
