// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Moderation
import PostgreSQL
import Publishing
import Storage
import TestSupport
import Testing

@testable import API
@testable import HTTPServer
@testable import RingfenceCommand

/// The rules of PhoneBlock's API that no single client shows.
@Suite(.database) struct PhoneBlockTests {
  private typealias Fixture = PhoneBlockFixture

  @Test func `a range is shown only while all its numbers are listed`() async throws {
    let range = RangePattern(around: 12_015_550_123, size: 10)
    let (number, ten, hundred) = Fixture.hashes
    let all = "sha1=\(number)&prefix10=\(ten)&prefix100=\(hundred)"
    try await Fixture.list(range)
    try await TestServer.run { server in
      let found = try await server.phoneBlock("/check?\(all)").text
      let asked = try await server.phoneBlock("/num/+12015550123").text
      // The hash of a number of a rule cannot be inverted; the hashes of its block are known.
      for part in [#""votesWildcard":10,"#, #""rating":"B_MISSED""#] {
        #expect(found.contains(part) && asked.contains(part), "\(part)")
      }
      #expect(asked.contains(#""votes":10,"#) && found.contains(#""votes":0,"#))
      let prefix = try await server.phoneBlock("/check-prefix?\(all)").text
      #expect(prefix.contains(#""range10":[{"cnt":10,"prefix":"+1201555012","votes":10}],"range100":[]"#))
      // Known by its range alone.
      let unknown = try await server.phoneBlock("/check?sha1=\(hundred)&prefix10=\(ten)").text
      #expect(unknown.contains(#""phone":"unknown""#) && unknown.contains(#""votesWildcard":10,"#))
      let binary = try await server.phoneBlockBytes("/blocklist?format=binary")
      #expect(
        Array(binary.prefix(16)) == [0x50, 0x42, 0x42, 0x4C, 1, 0, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0] && binary.count == 24)
      // Without prefixes, nothing: the numbers are listed by their range alone.
      for minRange in [0, 20] {
        #expect(try await server.phoneBlockBytes("/blocklist?format=binary&minRange=\(minRange)").count == 16)
      }

      // One number is protected: the range is not shown, so that no client blocks the number with it.
      try await ProtectionStore(pool: Fixture.pool).add(
        [(.number(12_015_550_129), "A hospital")], by: "Test", at: Fixture.now)
      let single = try await server.phoneBlock("/check?\(all)").text
      #expect(single.contains(#""votes":0,"#) && single.contains(#""votesWildcard":0,"#))
      let incomplete = try await server.phoneBlock("/check-prefix?\(all)").text
      #expect(!incomplete.contains("prefix"))
      let other = try await server.phoneBlock("/num/+12015550123").text
      #expect(other.contains(#""votes":10,"#) && other.contains(#""votesWildcard":0,"#))
      let protected = try await server.phoneBlock("/num/+12015550129").text
      #expect(protected.contains(#""whiteListed":true"#) && protected.contains(#""votes":0,"#))
    }
  }

  @Test func `nothing is told about numbers that are not listed to be blocked`() async throws {
    let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 12_015_550_125]
    try await Fixture.list([Listing(number: numbers[0], category: .fraud, cause: .reports, treatment: .identify)])
    for number in numbers.prefix(2) { try await Fixture.weigh(number, evidence: 50) }
    _ = try await DecisionService(pool: Fixture.pool).record(
      Decision(number: numbers[2], treatment: .allow, reason: "A shop.", decidedBy: "Test", decidedAt: Fixture.now))
    try await TestServer.run { server in
      for number in numbers {
        let text = try await server.phoneBlock("/num/+\(number)").text
        for part in [
          #""votes":0,"#, #""rating":"A_LEGITIMATE""#, #""heat":0,"#, #""spamConfidence":0,"#, #""calls":0,"#,
          #""dateAdded":0,"#,
        ] { #expect(text.contains(part), "\(number) \(part)") }
        #expect(text.contains(#""whiteListed":true"#) == (number == numbers[2]))
      }
      let (number, ten, hundred) = Fixture.hashes
      let hashed = try await server.phoneBlock("/check?sha1=\(number)&prefix10=\(ten)&prefix100=\(hundred)").text
      #expect(hashed.contains(#""votes":0,"#) && hashed.contains(#""rating":"A_LEGITIMATE""#))
    }
  }

  @Test func `a key is needed, with the scope of the operation`() async throws {
    try await TestServer.run { server in
      let apps = AppStore(pool: Fixture.pool)
      let keys = try await AppScopes.named.asyncMap { name, scope in
        (scope, try await apps.create(name: name, scopes: scope, at: Date()).key)
      }
      let hash = Fixture.hashes.0
      for (path, method, scope) in [
        ("/check?sha1=\(hash)", .get, .lookup), ("/check-prefix?sha1=88e9", .get, .lookup),
        ("/num/12015550123", .get, .lookup), ("/test", .get, .lookup), ("/account", .get, .report),
        ("/account", .put, .report),
        ("/rate", .post, .report), ("/report-call/0012015550123", .post, .identify), ("/blacklist", .get, .report),
        ("/whitelist/+12015550123", .put, .report), ("/whitelist/+12015550123", .delete, .report),
        ("/blocklist", .get, .fetch),
      ] as [(String, HTTPRequest.Method, AppScopes)] {
        for key in [""] + keys.filter({ $0.0 != scope }).map(\.1) {
          let refused = try await server.phoneBlock(path, method, body: "{}", key: key)
          let text = key.isEmpty ? "Please provide login credentials." : "This requires a key with the scope"
          #expect(refused.status == 401 && refused.text.hasPrefix(text), "\(path)")
          #expect(refused.headers[.wwwAuthenticate] == #"Basic realm="PhoneBlock", charset="UTF-8""#)
        }
        let key = try #require(keys.first { $0.0 == scope }).1
        #expect(try await server.phoneBlock(path, method, body: "{}", key: key).status != 401, "\(path)")
      }
      for field in ["Basic", "Basic !!!", "Basic \(Data("nocolon".utf8).base64EncodedString())", "Digest x", ""] {
        #expect(try await server.phoneBlock("/test", [.authorization: field]).status == 401, "\(field)")
      }
    }
  }

  @Test func `bad input is refused with one sentence, and nothing is stored`() async throws {
    try await TestServer.run { server in
      for (path, text) in [
        ("/check", "Not a valid hash, 40 hex digits required."),
        ("/check?sha1=88e9", "Not a valid hash, 40 hex digits required."),
        ("/check?sha1=\(String(repeating: "g", count: 40))", "Not a valid hash, 40 hex digits required."),
        ("/check-prefix", "Missing 'sha1' parameter."), ("/check-prefix?sha1=88e", "Invalid 'sha1' prefix"),
        ("/check-prefix?sha1=88", "Invalid 'sha1' prefix"),
        ("/check-prefix?sha1=88e9&prefix10=x", "Invalid 'prefix10' prefix"),
        ("/blocklist?format=csv", "Invalid 'format' parameter 'csv'. It must be json, xml or binary."),
      ] {
        let answer = try await server.phoneBlock(path)
        #expect(answer.status == 400 && answer.text.hasPrefix(text), "\(path): \(answer.text)")
        #expect(answer.headers[.contentType]?.hasPrefix("text/plain") ?? false)
      }
      let long = String(repeating: "x", count: 20_000)
      for (body, status) in [
        ("", 400), ("{}", 400), ("[]", 400), (#"{"phone":"112","rating":"G_FRAUD"}"#, 400),
        (#"{"phone":"+12015550123","rating":"Z_OTHER"}"#, 400), (#"{"phone":7,"rating":"G_FRAUD"}"#, 400),
        (#"{"phone":"+12015550123","rating":"G_FRAUD","comment":"\#(long)"}"#, 413),
      ] {
        let answer = try await server.phoneBlock("/rate", .post, body: body)
        #expect(answer.status == status && !answer.text.isEmpty && !answer.text.contains("{"), "\(body.prefix(60))")
        #expect(!answer.text.contains("listed in"), "it names the fields itself")
      }
      #expect(try await server.phoneBlock("/report-call/112", .post).status == 400)
      #expect(try await server.phoneBlock("/blacklist/110", .put).status == 400)
      #expect(try await server.phoneBlock("/blacklist/+0?wildcard=true", .put).status == 400)
      #expect(try await server.phoneBlock("/whitelist/+4930?wildcard=true", .put).status == 400)
      #expect(try await Fixture.count("SELECT count(*) FROM reports") == 0)
      #expect(try await Fixture.count("SELECT count(*) FROM personal_numbers") == 0)
      // A longer comment than Ringfence stores is cut.
      let cut = try await server.phoneBlock(
        "/rate", .post,
        body: #"{"phone":"+12015550123","rating":"G_FRAUD","comment":"\#(String(repeating: "ä", count: 900))"}"#)
      #expect(cut.status == 200)
      #expect(try await Fixture.count("SELECT length(comment)::bigint FROM reports") == 500)
      // A number that the plan may not have yet is counted, and not shown.
      let new = try await server.phoneBlock("/rate", .post, body: #"{"phone":"+15555550123","rating":"G_FRAUD"}"#)
      #expect(new.status == 200)
      #expect(try await Fixture.count("SELECT number FROM holds") == 15_555_550_123)
    }
  }

  @Test func `limits are those of v1, and calls above twenty a day are not counted`() async throws {
    let clock = TestClock()
    try await TestServer.run(
      configure: { $0.access.limits = RequestLimits(app: nil, network: nil, reportsADay: 2) }, clock: clock.limitClock
    ) { server in
      func rate(_ number: Int) async throws -> (status: Int, text: String, headers: HTTPFields) {
        try await server.phoneBlock(
          "/rate", .post, body: #"{"phone":"+1201555012\#(number)","rating":"G_FRAUD"}"#)
      }
      #expect(try await rate(1).status == 200)
      #expect(try await rate(2).status == 200)
      let limited = try await rate(3)
      #expect(limited.status == 429 && limited.headers[.retryAfter] != nil)
      for _ in 0..<(PhoneBlockReports.callsADay + 3) {
        #expect(try await server.phoneBlock("/report-call/0012015550123", .post).status == 204)
      }
      #expect(
        try await Fixture.count("SELECT named FROM number_identifications WHERE number = 12015550123")
          == Int64(PhoneBlockReports.callsADay))
    }
  }

  @Test func `a personal list has a limit, and is deleted with its key`() async throws {
    try await TestServer.run { server in
      #expect(try await server.phoneBlock("/blacklist/+12015550123", .put).status == 204)
      let most = Int64(PersonalNumberStore.maxEntries)
      try await Fixture.pool.execute(
        """
        INSERT INTO personal_numbers (reporter, number, is_prefix, is_blocked, key_id, added_at)
        SELECT reporter, 33199000000 + i, false, true, key_id, added_at
        FROM personal_numbers CROSS JOIN generate_series(2, \(most)) AS t (i)
        """)
      let full = try await server.phoneBlock("/blacklist/+12015550124", .put)
      #expect(full.status == 409 && full.text.hasPrefix("The personal list is full."))
      // An entry that exists can still move to the other list.
      #expect(try await server.phoneBlock("/whitelist/+12015550123", .put).status == 204)
      let retention = RetentionStore(pool: Fixture.pool)
      #expect(try await retention.purgePersonalNumbers(endedBefore: Date()) == 0)
      let keyID = try #require(try await AppStore(pool: Fixture.pool).app(key: server.key)?.keyID)
      let withdrawals = KeyWithdrawalStore(pool: Fixture.pool)
      let work = try await withdrawals.ask(
        keyID: keyID, since: Fixture.now - 60, until: Date(), because: "Stolen.", by: "Test", at: Date())
      _ = try await withdrawals.step(work.id, at: Date())
      #expect(try await Fixture.count("SELECT count(*) FROM personal_numbers") == 0)
      #expect(try await server.phoneBlock("/blacklist/+12015550123", .put).status == 204)
      try await Fixture.pool.execute("UPDATE app_keys SET revoked_at = now() WHERE key_id = \(keyID)")
      #expect(try await retention.purgePersonalNumbers(endedBefore: Date() + 60) == 1)
    }
  }

  @Test func `rows of an earlier program get their hash with the next publication`() async throws {
    let listing = Listing(number: 12_015_550_123, category: .fraud, cause: .reports)
    try await Fixture.list([listing])
    try await Fixture.pool.execute("UPDATE listings SET sha1 = NULL")
    try await Fixture.list([listing], serial: 813)
    // The first eight bytes of the hash.
    #expect(try await Fixture.count("SELECT sha1 FROM listings") == Int64(bitPattern: 0x88E9_1F5F_9C82_9EF3))
    #expect(try await Fixture.count("SELECT serial FROM listings") == 812)
  }

  @Test func `the retention job adds the hashes of rows of an earlier program`() async throws {
    let numbers = [12_015_550_123, 12_015_550_124, 12_015_550_125] as [Int64]
    try await Fixture.list(numbers.map { Listing(number: $0, category: .fraud, cause: .reports) })
    try await Fixture.pool.execute("UPDATE listings SET sha1 = NULL")
    try await RetentionStore(pool: Fixture.pool, batchSize: 2).addListingHashes()
    #expect(try await Fixture.count("SELECT count(*) FROM listings WHERE sha1 IS NULL") == 0)
    #expect(
      try await Fixture.count("SELECT sha1 FROM listings WHERE number = 12015550123")
        == Int64(bitPattern: 0x88E9_1F5F_9C82_9EF3))
  }

  /// The texts of SpamBlocker, with its tags filled in as it does.
  @Test func `the query and the report of SpamBlocker use the API`() throws {
    func actions(_ text: String) throws -> [[String: Any]] {
      let preset = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      #expect(preset["enabled"] as? Bool == true)
      return try #require(preset["actions"] as? [[String: Any]])
    }
    let presets = SpamBlockerPresets(needsKey: false)
    let query = try actions(presets.hashQuery(server: "https://ring.example"))
    #expect(
      query[1]["url"] as? String
        == "https://ring.example/phoneblock/api/check?sha1={sha1(+{cc}{domestic})}"
        + "&prefix10={sha1({drop_last(+{cc}{domestic},1)})}&prefix100={sha1({drop_last(+{cc}{domestic},2)})}")
    #expect(query[1]["header"] as? String == "{bearer_auth(KEY)}")
    #expect(query[2]["negativeSig"] as? String == #""rating":"[B-G]_"#)
    let text = presets.report(server: "https://ring.example")
    #expect(text.contains(#""autoReportTypes":0"#))
    let report = try actions(text)
    let ratings = try #require(report[1]["map"] as? [String: String])
    #expect(ratings.count == 6 && ratings.values.allSatisfy { PhoneBlockRating(rawValue: $0) != nil })
    #expect(report[2]["method"] as? Int == 1)
    #expect(report[2]["header"] as? String == "{bearer_auth(KEY)}\nContent-Type: application/json")
    let body = try #require(report[2]["body"] as? String)
    let filled = body.replacing("{cc}", with: "1").replacing("{domestic}", with: "2015550123")
    #expect(filled == #"{"phone":"+12015550123","rating":"{category}","comment":"{comment}"}"#)
  }

  @Test func `the API can be switched off`() async throws {
    try await TestServer.run(configure: { $0.access.interfaces.remove(.phoneBlock) }) { server in
      for path in ["/test", "/blocklist"] {
        let answer = try await server.phoneBlock(path)
        #expect(answer.status == 404, "\(path)")
      }
    }
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var result: [T] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
