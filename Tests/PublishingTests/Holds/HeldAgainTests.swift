// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

/// Numbers whose reports are held: what is published meanwhile, and when a hold ends.
@Suite(.database) struct HeldAgainTests {
  /// Midnight.
  private let start = Date(timeIntervalSince1970: 1_795_046_400)
  private let number: Int64 = 33_199_000_248

  private var holds: HoldStore { HoldStore(pool: pool) }

  private func day(_ day: Int, _ hour: Double = 20) -> Date { start + Double(day) * 86_400 + hour * 3_600 }

  private func id(_ kind: UInt8, _ index: Int) -> [UInt8] {
    [kind, UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: kind, count: 13)
  }

  private func network(_ index: Int) -> [UInt8] {
    var mixer = SeededGenerator(seed: UInt64(index))
    return withUnsafeBytes(of: mixer.next()) { Array($0) }
  }

  /// A report that arrives at a time.
  /// - Parameter claimed: the time in the report.
  private func take(
    _ number: Int64, by reporter: [UInt8], network: Int, at time: Date, claimed: Date? = nil, comment: String? = nil
  ) async throws {
    let report = Report(
      number: number, appID: 99, reportID: UUID(), reportedAt: claimed ?? time, category: .fraud, reporter: reporter,
      comment: comment, network: self.network(network))
    _ = try await ReportStore(pool: pool).accept([report], receivedAt: time)
  }

  /// A list's four complaints about the number.
  private func list(_ ceiling: SourceCeiling) async throws {
    let app = try await AppStore(pool: pool).source(named: "A list", at: start)
    let settings = Source.Settings(
      name: "A list", url: "https://list.example/", format: .csv, every: 3_600, ceiling: ceiling)
    #expect(
      try await SourceStore(pool: pool).add(settings, as: app, by: Actor(name: "Ada", role: .administrator), at: start))
    let rows = (0..<4).map { row in
      Report(
        number: number, appID: app.id, reportID: UUID(), reportedAt: day(row, 0), category: .fraud, reporter: nil)
    }
    _ = try await ReportStore(pool: pool).accept(rows, receivedAt: start)
    try await pool.execute("UPDATE source_feeds SET refreshed_at = \(start)")
  }

  /// The numbers that a publication lists, with their treatment.
  private func publish(
    at times: Date..., reviews: Bool = true
  ) async throws -> [[Int64: ListedNumber.Treatment]] {
    let key = try #require(SigningKey(String(repeating: "07", count: 32)))
    return try await withTemporaryFolder { path in
      let publisher = Publisher(
        store: PublicationStore(pool: pool), folder: PublicationFolder(path: path),
        recipes: Recipe.shipped.filter { $0.source == .reports }, signing: { key }, policy: PublicationPolicy(),
        holding: reviews ? BrigadeReview(store: HoldStore(pool: pool)) : nil, logger: .forTests)
      var lists: [[Int64: ListedNumber.Treatment]] = []
      for time in times {
        _ = try await ReporterStore(pool: pool).recount(protected: .none, at: time)
        let overrules = Gate.allCases.filter(\.canBeOverruled).map {
          PublicationRequest.Overrule(gate: $0, reason: "Test", by: "Ada")
        }
        _ = try await publisher.publish(PublicationRequest(time: time, overrules: overrules))
        let rows = try await pool.withConnection { connection in
          try await connection.query("SELECT number, treatment FROM listings").map {
            (try $0.decode(0, as: Int64.self), try $0.decode(1, as: Int16.self))
          }
        }
        lists.append(
          Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1 == 0 ? .block : .identify) }))
      }
      return lists
    }
  }

  private func outlook(at time: Date) async throws -> Explanation {
    try await ExplanationStore(pool: pool).explain(number, at: time)
  }

  /// The treatment that the reports would trigger without a hold.
  private func outcome(at time: Date) async throws -> SourceCeiling {
    let record = try #require(try await NumberStore(pool: pool).record(of: number))
    return Score(record, at: time).evaluate(by: try await ThresholdStore(pool: pool).current()).outcome
  }

  /// 152 people complain over 25 days. 140 of them also report numbers that a few others report.
  @Test func `a hold for newness ends with its trace when the reporters are established`() async throws {
    for person in 0..<152 {
      let first = person < 140 ? person % 14 : 15 + person % 10
      if first < 10 { try await take(number, by: id(1, person), network: person % 57, at: day(first, 8)) }
    }
    let early = try #require(try await publish(at: day(9)).first)
    let hold = try #require(try await holds.hold(of: number))
    #expect(hold.reason.code == .newReporters && hold.ceiling == .identify && hold.labeledAt == day(9))
    // Identified within the budget, and never blocked.
    #expect(early[number] == .identify)
    #expect(try await QueueStore(pool: pool).find(number)?.causes.all.contains(.held) == true)

    for person in 0..<152 {
      let first = person < 140 ? person % 14 : 15 + person % 10
      if first >= 10 { try await take(number, by: id(1, person), network: person % 57, at: day(first, 8)) }
      guard person < 140 else { continue }
      // Two numbers with three others each, who are not the same.
      for (group, at) in [(person / 4, first + 1), (100 + person % 35, first + 9)] {
        try await take(33_180_000_000 + Int64(group) * 11, by: id(1, person), network: person % 57, at: day(at, 8))
      }
    }
    let late = try #require(try await publish(at: day(29)).first)
    #expect(late[number] == .block)
    #expect(try await holds.hold(of: number) == nil)
    let events = try await AuditLog(pool: pool).events(AuditFilter(action: "hold."), limit: 10)
    #expect(events.map(\.event.action) == ["hold.end"] && events.map(\.event.subject) == ["+\(number)"])
    #expect(events.map(\.time) == [day(29)])
    #expect(events.first?.event.before?["reason"]?.contains("new_reporters") == true)
    let left = try await pool.withConnection {
      try await $0.query("SELECT count(*) FROM hold_reporters WHERE number = \(number)").first?.decode(
        0, as: Int64.self)
    }
    #expect(left == 0)
    #expect(try await outlook(at: day(29)).verdict == .listed)
  }

  @Test func `four independent newcomers identify a number that waits for a moderator`() async throws {
    for person in 0..<2 { try await take(number, by: id(1, person), network: person, at: day(person, 8)) }
    // On the second day there are too few people and days.
    #expect(try await publish(at: day(1)) == [[:]])
    for person in 2..<4 { try await take(number, by: id(1, person), network: person, at: day(2, 8)) }
    #expect(try await publish(at: day(2), day(3)) == [[number: .identify], [number: .identify]])
    let hold = try #require(try await holds.hold(of: number))
    #expect(hold.reason.code == .newReporters && hold.ceiling == .identify && hold.labeledAt == day(2))
    #expect(try await QueueStore(pool: pool).find(number)?.causes.all.contains(.held) == true)
    let explanation = try await outlook(at: day(3))
    #expect(explanation.verdict == .listed && explanation.evaluation?.ceiling == .identify)

    // Thirty more newcomers do not block it either.
    for person in 10..<40 { try await take(number, by: id(1, person), network: person, at: day(4 + person % 3, 8)) }
    #expect(try await outcome(at: day(6)) == .block)
    #expect(try await publish(at: day(6)) == [[number: .identify]])
    #expect(try await holds.hold(of: number)?.labeledAt == day(2))
  }

  /// Five of six people share an address.
  @Test func `newcomers who depend on each other identify nothing`() async throws {
    for person in 0..<6 {
      try await take(number, by: id(1, person), network: max(4, person), at: day(person % 3, 8))
    }
    #expect(try await outcome(at: day(3)) == .block)
    #expect(try await publish(at: day(3)) == [[:]])
    #expect(try await holds.hold(of: number)?.ceiling == .nothing)
  }

  @Test(arguments: [SourceCeiling.nothing, .review])
  func `a low ceiling helps no new reporter over a limit`(_ ceiling: SourceCeiling) async throws {
    try await list(ceiling)
    for person in 0..<3 {
      try await take(number, by: id(1, person), network: person, at: day(4), claimed: day(4 - person))
    }
    // Also without a review.
    #expect(try await publish(at: day(4, 21), reviews: false) == [[:]])
    #expect(try await publish(at: day(4, 22)) == [[:]])
    #expect(try await holds.held().isEmpty)
    // With another ceiling the list names it alone.
    try await pool.execute("UPDATE source_feeds SET ceiling = 'block'")
    #expect(try await publish(at: day(4, 23)) == [[number: .block]])
  }

  @Test func `new reporters do not take a number from the list that a source identifies`() async throws {
    try await list(.identify)
    #expect(try await publish(at: day(4)) == [[number: .identify]])
    for person in 0..<30 {
      try await take(
        number, by: id(1, person), network: 7 + person % 2, at: day(5 + person % 2, 8), comment: "They shouted at me")
    }
    #expect(try await outcome(at: day(6)) == .block)
    let lists = try await publish(at: day(6), day(7))
    #expect(lists == [[number: .identify], [number: .identify]])
    let hold = try #require(try await holds.hold(of: number))
    #expect(hold.ceiling == .nothing && hold.labeledAt == nil)
  }

  /// The reports of a brigade get old, and networks and comments are deleted after a month.
  @Test(arguments: [(false, false), (false, true), (true, true)])
  func `a hold outlives the window of its reports`(isAged: Bool, sharesNetwork: Bool) async throws {
    for account in 0..<40 {
      for old in 0..<3 where isAged {
        try await take(
          33_190_000_000 + Int64(old) * 11, by: id(4, account), network: account, at: day(5 * old - 30, 8))
      }
      try await take(
        number, by: id(4, account), network: sharesNetwork ? 9_000 + account % 2 : account,
        at: day(account % (sharesNetwork ? 3 : 2), 8))
    }
    #expect(try await publish(at: day(2)).first?[number] == nil)
    #expect(try await outcome(at: day(2)) == .block)
    #expect(try await holds.hold(of: number)?.reason.code == (sharesNetwork ? .oneNetwork : .newReporters))
    #expect(try await publish(at: day(29)).first?[number] == nil)
    try await pool.execute("UPDATE reports SET network = NULL")
    for time in [day(33), day(40)] {
      #expect(try await publish(at: time).first?[number] == nil, "\(time)")
      #expect(try await holds.held().map(\.number) == [number], "\(time)")
      #expect(try await outcome(at: time) == .block, "\(time)")
    }
  }

  /// Twenty newcomers on one day are below the days of a threshold. A single report a month later adds the missing day.
  @Test func `a late report does not let old newcomers list a number`() async throws {
    for account in 0..<20 { try await take(number, by: id(1, account), network: account, at: day(0, 8)) }
    #expect(try await publish(at: day(0), day(20)) == [[:], [:]])
    try await take(number, by: id(1, 100), network: 100, at: day(32, 8))
    #expect(try await outcome(at: day(32)) >= .identify)
    #expect(try await publish(at: day(32), day(33)) == [[:], [:]])
    #expect(try await holds.held().map(\.number) == [number])
  }

  @Test func `reports that no review has judged list nothing`() async throws {
    for account in 0..<60 { try await take(number, by: id(1, account), network: account, at: day(account % 3, 8)) }
    // No report is new, and nobody has judged them, as after a pause of all publications.
    #expect(try await outcome(at: day(36)) == .block)
    let (before, after) = (try await outlook(at: day(20)), try await outlook(at: day(36)))
    #expect(before.verdict == .candidate && before.outlook?.isBlocked == true)
    #expect([.quiet, .needsReview].contains(after.verdict) && after.outlook == nil && after.lines.first == .noArrivals)
    #expect(try await publish(at: day(36)) == [[:]])
  }

  /// Reports that are published, and perhaps named by a source, before a pause of more than a month.
  @Test(arguments: [false, true])
  func `what a publication makes of old reports is explained before it`(isNamed: Bool) async throws {
    for account in 0..<20 {
      // Established reporters.
      for old in 0..<6 {
        try await take(
          33_190_000_000 + Int64(old) * 11, by: id(1, account), network: account, at: day(5 * old - 30, 8))
      }
      try await take(number, by: id(1, account), network: account, at: day(account % 3, 8))
    }
    #expect(try await publish(at: day(4), reviews: false).first?[number] == .block)
    if isNamed { try await list(.identify) }
    let next = try await outlook(at: day(36)).outlook.map { $0.isBlocked ? ListedNumber.Treatment.block : .identify }
    #expect(try await publish(at: day(36)).first?[number] == next)
  }

  /// A source blocks a number, which a few new accounts report, too.
  @Test(arguments: [SourceCeiling.nothing, .identify])
  func `new reporters do not keep the block of a source that may no longer block`(_ ceiling: SourceCeiling) async throws
  {
    try await list(.block)
    for account in 0..<3 { try await take(number, by: id(1, account), network: 7, at: day(4, 8)) }
    #expect(try await publish(at: day(4)) == [[number: .block]])
    try await pool.execute("UPDATE source_feeds SET ceiling = \(ceiling.rawValue)")
    let expected: [Int64: ListedNumber.Treatment] = ceiling == .identify ? [number: .identify] : [:]
    #expect(try await publish(at: day(4, 21)) == [expected])
  }

  @Test func `held reports choose neither the category nor the label of a listed number`() async throws {
    try await list(.identify)
    #expect(try await publish(at: day(4)) == [[number: .identify]])
    for account in 0..<30 {
      let report = Report(
        number: number, appID: 99, reportID: UUID(), reportedAt: day(5, 8), category: .robocall,
        reporter: id(1, account), network: network(7))
      _ = try await ReportStore(pool: pool).accept([report], receivedAt: day(5 + account % 3, 8))
    }
    #expect(try await publish(at: day(8)) == [[number: .identify]])
    let explanation = try await outlook(at: day(8))
    #expect(explanation.listing?.category == .fraud && explanation.evaluation?.isIdentifiedByReports == false)
  }
}
