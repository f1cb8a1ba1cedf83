// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import Hummingbird
import HTTPServer
import Moderation
import PostgreSQL
import Storage
import TestSupport
import Testing

@Suite(.database) struct NumbersTests {
  private struct Account: Decodable {
    let number: String
    let verdict: String
    let account: [String]
    let explanation: [[String: CodedValue]]
  }

  private struct Hashes: Decodable {
    struct Entry: Decodable {
      let hash: String
      let category: String
      let label: String
      let block: Bool
    }
    let prefix: String
    let entries: [Entry]
    let padding: String
  }

  private let now = Date()
  /// Apps see the reports and holds of earlier days.
  private var yesterday: Date { Explanation.coarseTime(now) - 1 }

  private func get(_ server: TestServer, _ uri: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
    var headers = headers
    headers[.authorization] = "Bearer \(server.key)"
    return try await server.client.execute(uri: uri, method: .get, headers: headers)
  }

  private func complain(_ number: Int64, _ count: Int) async throws {
    let reports = (0..<count).map { index in
      Report(
        number: number, appID: 1, reportID: UUID(), reportedAt: now - Double(index) * 86_400, category: .robocall,
        reporter: [UInt8](repeating: UInt8(index), count: 16), network: [UInt8](repeating: UInt8(index), count: 8))
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: yesterday)
  }

  private func list(_ numbers: [Int64]) async throws {
    let time = now
    try await pool.execute(
      """
      INSERT INTO listings (number, category_id, serial, listed_at)
      SELECT number, 6, 12, \(time) FROM unnest(\(numbers)) AS t (number)
      """)
  }

  private func hash(_ number: Int64) -> String {
    SHA256.hash(data: Data("+\(number)".utf8)).map { String(format: "%02x", $0) }.joined()
  }

  @Test func `apps and moderators get the same explanation`() async throws {
    let candidate: Int64 = 33_199_000_248
    let held: Int64 = 33_199_000_249
    let decided: Int64 = 33_199_000_250
    let unknown: Int64 = 33_199_000_251
    let protected: Int64 = 33_199_000_252
    for number in [candidate, held, decided] { try await complain(number, 12) }
    try await list([candidate])
    let finding = BrigadeDetection.Finding(reason: .split(complaints: 7, legitimate: 5), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(held, finding)], at: yesterday)
    _ = try await DecisionService(pool: pool).record(
      try Decision(
        number: decided, treatment: .identify, label: "Tom & Sons", reason: "They sell <things>.", note: "Rang them.",
        decidedBy: "Ada", decidedAt: now))
    try await ProtectionStore(pool: pool).add([(.number(protected), "A bank")], by: "Ada", at: now)

    try await TestServer.run { server in
      let token = try await server.sessions.makeSignInToken(for: "Bob", at: Date())
      let signedIn = try await server.client.execute(
        uri: "/sign-in", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
        body: ByteBuffer(string: "token=\(token)"))
      let session = try #require(signedIn.headers[.setCookie]).prefix { $0 != ";" }
      let texts = try MessageCatalog(folder: Checkout.texts)
      for (number, verdict, words, shown) in [
        (candidate, "listed", "Blocked since publication 12 of", "Blocked since publication 12 of"),
        (
          held, "held", "7 reporters complain, and 5 report that it is legitimate.",
          "7 reporters complain, and 5 report that it is legitimate."
        ),
        (decided, "decided", "Labeled “Tom & Sons”, and not blocked, by", "They sell &lt;things&gt;."),
        (unknown, "quiet", "No reports.", "No reports."),
        (protected, "protected", "Protected: A bank.", "Protected: A bank."),
      ] {
        let answer = try await get(server, "/v1/numbers/%2B\(number)")
        #expect(answer.status == .ok)
        let told = try JSONDecoder().decode(Account.self, from: Data(answer.body.readableBytesView))
        #expect(told.number == "+\(number)")
        #expect(told.verdict == verdict)
        #expect(told.account.contains { $0.contains(words) }, "\(told.account)")
        let explained = try await ExplanationStore(pool: pool).explainCoarsely(number, at: Date())
        #expect(told.explanation.map { $0["code"] } == explained.lines.map { .text($0.code.name) })
        #expect(told.account == explained.lines.map { texts[.english].message($0) })
        let russian = try await get(server, "/v1/numbers/%2B\(number)", [.acceptLanguage: "ru"])
        #expect(russian.headers[.contentLanguage] == "ru" && russian.headers[.vary] == "Accept-Language")
        #expect(
          try JSONDecoder().decode(Account.self, from: Data(russian.body.readableBytesView)).account
            == explained.lines.map { texts[.russian].message($0) })

        let page = try await server.client.execute(
          uri: "/moderation/numbers/\(number)", method: .get, headers: [.cookie: String(session)])
        let html = String(buffer: page.body)
        #expect(page.status == .ok && html.contains(shown), "\(number)")
        // Only moderators see each other's names and notes.
        let json = String(buffer: answer.body)
        #expect(!json.contains("Ada") && !json.contains("Rang them"))
        #expect(html.contains("Rang them.") == (number == decided))
      }
    }
  }

  @Test func `holds and protection are codes with values`() async throws {
    let (held, protected): (Int64, Int64) = (33_199_000_249, 33_199_000_252)
    let finding = BrigadeDetection.Finding(reason: .oneDay(peak: 12, reporters: 13, others: 1), reporters: [])
    _ = try await HoldStore(pool: pool).hold([(held, finding)], at: yesterday)
    try await ProtectionStore(pool: pool).add([(try ProtectionTarget("+33199000252"), "A bank")], by: "Ada", at: now)
    try await TestServer.run { server in
      let one = String(buffer: try await get(server, "/v1/numbers/\(held)").body)
      #expect(one.contains(#""reason":{"code":"one_day","others":1,"peak":12,"reporters":13}"#))
      let other = String(buffer: try await get(server, "/v1/numbers/\(protected)").body)
      #expect(other.contains(#""protected":{"code":"protected_number","reason":"A bank"}"#))
    }
  }

  @Test func `an invalid number is refused`() async throws {
    try await TestServer.run { server in
      for text in ["abc", "0", "1234567890123456", "%2B", "-5", "by-hash"] {
        #expect(try await get(server, "/v1/numbers/\(text)").status == .notFound, "\(text)")
      }
      let bare = try await server.client.execute(uri: "/v1/numbers/33199000248", method: .get)
      #expect(bare.status == .unauthorized)
    }
  }

  @Test func `a hash prefix finds all listed numbers that have it`() async throws {
    let numbers = (0..<3_000).map { 33_199_000_000 + Int64($0) }
    try await list(numbers)
    let some = numbers[17]
    let prefix = String(hash(some).prefix(4))
    let expected = numbers.filter { hash($0).hasPrefix(prefix) }
    _ = try await DecisionService(pool: pool).record(
      try Decision(
        number: some, treatment: .identify, label: "A shop", reason: "It is one.", decidedBy: "Ada", decidedAt: now))
    try await TestServer.run { server in
      for length in 4...8 {
        let answer = try await get(server, "/v1/numbers/by-hash/\(hash(some).prefix(length))")
        #expect(answer.status == .ok)
        #expect(answer.body.readableBytes % 4_096 == 0)
        let told = try JSONDecoder().decode(Hashes.self, from: Data(answer.body.readableBytesView))
        let matching = expected.filter { hash($0).hasPrefix(told.prefix) }
        #expect(told.entries.map(\.hash) == matching.map(hash).sorted())
        let own = try #require(told.entries.first { $0.hash == hash(some) })
        #expect(own.label == "A shop" && own.category == "robocall" && !own.block)
        let tag = try #require(answer.headers[.eTag])
        let again = try await get(
          server, "/v1/numbers/by-hash/\(hash(some).prefix(length))", [.ifNoneMatch: tag])
        #expect(again.status == .notModified)
      }
      // A response without entries has the same length as one with entries.
      let nothing = try await get(server, "/v1/numbers/by-hash/\(hash(1).prefix(8))")
      #expect(nothing.body.readableBytes == 4_096)
      for bad in ["abc", "ABCD", "123456789", "12g4", "%2e%2e"] {
        #expect(try await get(server, "/v1/numbers/by-hash/\(bad)").status == .notFound)
      }
      // Numbers allowed since the publication are no longer returned.
      _ = try await DecisionService(pool: pool).record(
        try Decision(number: some, treatment: .allow, reason: "Mine.", decidedBy: "Ada", decidedAt: now + 1))
      let gone = try await get(server, "/v1/numbers/by-hash/\(hash(some).prefix(8))")
      let told = try JSONDecoder().decode(Hashes.self, from: Data(gone.body.readableBytesView))
      #expect(told.entries.isEmpty)
    }
  }

  @Test func `a protected number in the middle of a listed range is in no answer`() async throws {
    let (inside, hospital, outside): (Int64, Int64, Int64) = (33_199_000_000, 33_199_000_500, 33_199_001_000)
    let rule = RangeRule(
      stored: try RangePattern("+33199000xxx", plan: .current), category: .telemarketing, label: "Sales",
      state: .approved, proposedAt: now)
    let time = now
    try await pool.transaction { connection in
      try await ListedRangeStore.replace(
        with: [ListedRange(33_199_000_000...33_199_000_999, blocks: true, rule: rule)], serial: 812, at: time,
        on: connection)
    }
    // Protected after the publication.
    try await ProtectionStore(pool: pool).add([(.number(hospital), "A hospital")], by: "Ada", at: now)
    try await TestServer.run { server in
      let answers: [(String, String)] = [
        ("/v1/pbx/NUMBER?as=verdict", "block"), ("/v1/pbx/NUMBER?as=name", "Sales"),
        ("/v1/numbers/NUMBER", #""block":true"#), ("/phoneblock/api/num/+NUMBER", #""votes":10,"#),
      ]
      for (path, listed) in answers {
        for (number, isListed) in [(inside, true), (hospital, false), (outside, false)] {
          let answer = try await get(server, path.replacing("NUMBER", with: "\(number)"))
          #expect(
            answer.status == .ok && String(buffer: answer.body).contains(listed) == isListed, "\(path) \(number)")
        }
      }
      let hashed = try await get(server, "/v1/numbers/by-hash/\(hash(inside).prefix(4))")
      #expect(String(buffer: hashed.body).contains(#""ranges":{"count":2,"path":"/v1/ranges","serial":0}"#))
      let ranges = try await get(server, "/v1/ranges")
      let text = String(buffer: ranges.body)
      #expect(text.contains(##""first":"+33199000000","label":"Sales","last":"+33199000499""##), "\(text)")
      #expect(text.contains(##""first":"+33199000501","label":"Sales","last":"+33199000999""##))
      let again = try await get(server, "/v1/ranges", [.ifNoneMatch: try #require(ranges.headers[.eTag])])
      #expect(again.status == .notModified)
    }
  }

  @Test func `lookups block only what a pack and the decision block`() async throws {
    let (allowed, named, blocked): (Int64, Int64, Int64) = (33_199_000_248, 33_199_000_249, 33_199_000_250)
    let time = now
    try await pool.transaction { connection in
      try await PublicationStore.replaceListings(
        with: [
          Listing(number: allowed, category: .fraud, cause: .reports),
          Listing(number: named, category: .fraud, cause: .reports, treatment: .identify),
          Listing(number: blocked, category: .fraud, cause: .reports),
        ], serial: 1, at: time, on: connection)
    }
    for (number, treatment) in [(allowed, Decision.Treatment.allow), (named, .block), (blocked, .block)] {
      _ = try await DecisionService(pool: pool).record(
        try Decision(number: number, treatment: treatment, reason: "Known.", decidedBy: "Ada", decidedAt: now))
    }
    let (lookups, callers) = (HashLookupStore(pool: pool), CallerStore(pool: pool))
    #expect(try await lookups.listed(number: allowed) == nil)
    #expect(try await lookups.listed(number: named)?.mayBlock == false)
    #expect(try await lookups.listed(number: blocked)?.mayBlock == true)
    #expect(try await callers.hottest(prefix: "", at: now).map(\.number) == [blocked])
    for number in [allowed, named, blocked] {
      #expect(try await ExplanationStore(pool: pool).explain(number, at: now).mayBlock == (number == blocked))
    }
  }

  @Test func `a number is listed since the first publication with its present treatment`() async throws {
    let number: Int64 = 33_199_000_248
    @Sendable func publish(_ serials: ClosedRange<Int64>, _ treatment: ListedNumber.Treatment) async throws {
      for serial in serials {
        let time = now - 86_400 * Double(10 - serial)
        try await pool.transaction { connection in
          try await PublicationStore.replaceListings(
            with: [Listing(number: number, category: .fraud, cause: .reports, treatment: treatment)], serial: serial,
            at: time, on: connection)
        }
      }
    }
    try await TestServer.run { server in
      func listed() async throws -> (serial: Int?, line: String?) {
        let answer = Data(try await get(server, "/v1/numbers/\(number)").body.readableBytesView)
        let json = try #require(try JSONSerialization.jsonObject(with: answer) as? [String: Any])
        let account = try #require(json["account"] as? [String])
        return (
          (json["listed"] as? [String: Any])?["serial"] as? Int, account.first { $0.contains("since publication") }
        )
      }
      try await publish(3...7, .block)
      let blocked = try await listed()
      #expect(blocked.serial == 3 && blocked.line?.contains("Blocked since publication 3 ") == true)
      try await publish(8...9, .identify)
      let labeled = try await listed()
      #expect(labeled.serial == 8 && labeled.line?.contains("not blocked, since publication 8 ") == true, "\(labeled)")
    }
  }

  /// For a number with one report, exact figures would reveal the report's time and the reporter's weight.
  @Test func `apps get rounded figures`() async throws {
    struct Figures: Decodable, Equatable {
      struct Part: Decodable, Equatable {
        let heat: Double
        let evidence: Double
      }
      let as_of: String
      let heat: Double
      let evidence: Double
      let confidence: Double
      let categories: [Part]
      let account: [String]
    }
    let today = Explanation.coarseTime(now)
    var reports: [Report] = []
    for (index, (age, weight)) in [(3_600.0, Float(1)), (50_000, 0.9), (70_000, 0.55), (20_000, 0.3)].enumerated() {
      // Two new reporters with reduced weight.
      for reporter in [index, 100 + index] {
        reports.append(
          Report(
            number: 33_199_000_248 + Int64(index), appID: 1, reportID: UUID(), reportedAt: today - age,
            category: .fraud, reporter: [UInt8](repeating: UInt8(reporter), count: 16), weight: weight))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: yesterday)
    let numbers = Set(reports.map(\.number)).sorted()
    let exact = try await numbers.asyncMap { number in
      try await ExplanationStore(pool: pool).explain(number, at: today).score
    }.compactMap(\.self)
    #expect(Set(exact.map(\.heat)).count == 4 && Set(exact.map(\.evidence)).count == 4)
    try await TestServer.run { server in
      let figures = try await numbers.asyncMap { number in
        let answer = try await get(server, "/v1/numbers/\(number)")
        return try JSONDecoder().decode(Figures.self, from: Data(answer.body.readableBytesView))
      }
      #expect(figures.map(\.heat) == exact.map { ($0.heat * 2).rounded(.down) / 2 })
      #expect(figures.map(\.evidence) == exact.map { ($0.evidence * 2).rounded(.down) / 2 })
      #expect(figures[0].heat == 0.5 && figures[1].heat == 0.5 && figures[2].heat == 0.5)
      #expect(figures.allSatisfy { $0.as_of == today.ISO8601Format() })
      #expect(figures.allSatisfy { $0.confidence * 20 == ($0.confidence * 20).rounded() })
      // The rest of the first three responses is equal.
      #expect(figures[0].categories == figures[1].categories && figures[1].categories == figures[2].categories)
      #expect(figures[1].account == figures[2].account)
    }
  }

  @Test(arguments: ["+33199000248", "+331990002xx"])
  func `a newly protected number is removed from lookups immediately`(_ target: String) async throws {
    let (number, other): (Int64, Int64) = (33_199_000_248, 33_199_111_111)
    try await list([number, other])
    let time = now
    try await TestServer.run { server in
      func isTold(_ number: Int64) async throws -> Bool {
        let answer = try await get(server, "/v1/numbers/by-hash/\(hash(number).prefix(8))")
        return try JSONDecoder().decode(Hashes.self, from: Data(answer.body.readableBytesView)).entries.count == 1
      }
      #expect(try await isTold(number))
      let store = ProtectionStore(pool: pool)
      for _ in 0..<2 {
        try await store.add([(try ProtectionTarget(target), "A bank")], by: "Ada", at: time)
      }
      #expect(try await !isTold(number))
      #expect(try await isTold(other))
      // A revocation removes it from the packs.
      let open = try await PublicationStore(pool: pool).openRevocations()
      #expect(open.map(\.number) == [number] && open.map(\.action) == [.remove] && open[0].requestedBy == "Ada")
    }
  }

  /// An appeal alone excludes no number: lookups follow the rules of packs, without waiting for the next publication.
  @Test func `a lookup by hash excludes victims of spoofing only`() async throws {
    let (victim, nuisance): (Int64, Int64) = (33_199_000_248, 33_199_000_249)
    try await list([victim, nuisance])
    var reports: [Report] = []
    for (number, count) in [(victim, 12), (nuisance, 4)] {
      for index in 0..<count {
        let reporter = [UInt8](repeating: UInt8(index), count: 16)
        reports.append(
          Report(
            number: number, appID: 1, reportID: UUID(), reportedAt: now - 3_600, category: .robocall,
            reporter: reporter))
      }
    }
    _ = try await ReportStore(pool: pool).accept(reports, receivedAt: yesterday)
    let appeals = AppealStore(pool: pool)
    let appealService = AppealService(pool: pool)
    for number in [victim, nuisance] {
      try await appeals.file(try Appeal(number: number, statement: "It was not me.", filedAt: now))
    }
    let lookups = HashLookupStore(pool: pool)
    func mayBlock(_ number: Int64) async throws -> Bool? {
      let prefix = try #require(NumberHashPrefix(String(hash(number).prefix(8))))
      return try await lookups.listed(prefix, at: now + 1).first?.mayBlock
    }
    #expect(try await mayBlock(victim) == false)
    #expect(try await mayBlock(nuisance) == true)
    _ = try await appealService.settle(
      victim, as: .rejected, by: Actor(name: "Ada", role: .moderator), answer: nil, at: now)
    #expect(try await mayBlock(victim) == true)
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var result: [T] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
