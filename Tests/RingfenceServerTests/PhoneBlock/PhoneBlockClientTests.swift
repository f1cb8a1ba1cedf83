// SPDX-License-Identifier: Apache-2.0

import API
import Curation
import Foundation
import HTTPTypes
import PhoneNumbers
import PostgreSQL
import Storage
import TestSupport
import Testing

@testable import RingfenceCommand

/// The requests of PhoneBlock's clients, with their headers.
@Suite(.database) struct PhoneBlockClientTests {
  private typealias Fixture = PhoneBlockFixture

  @Test func `the dongle tests its token, asks about calls, reports and loads its lists`() async throws {
    try await Fixture.list([
      Listing(number: 12_015_550_123, category: .fraud, cause: .reports),
      Listing(number: 33_199_000_248, category: .telemarketing, cause: .decision),
    ])
    try await Fixture.weigh(12_015_550_123, evidence: 14.2)
    let agent: HTTPFields = [.userAgent: "PhoneBlock-Dongle/1.2 (abc)"]
    try await TestServer.run(configure: { $0.api.phoneBlockRegion = PhoneRegion("DE") }) { server in
      let test = try await server.phoneBlock("/test", agent)
      #expect(test.status == 200 && test.text == "ok" && test.headers[.cacheControl] == "no-cache")
      #expect(test.headers[.contentType]?.hasPrefix("text/plain") ?? false)
      let account = try await server.phoneBlock("/account", agent)
      #expect(account.status == 200 && account.text.contains(#""dialPrefix":"+49""#) && account.text.utf8.count <= 512)
      // The app sends its settings, and reads those that apply.
      let settings = #"{"lang":"fr","dialPrefix":"+33","countryCode":"FR","displayName":"A"}"#
      let changed = try await server.phoneBlock("/account", .put, body: settings, agent)
      #expect(changed.status == 200 && changed.text == account.text)
      #expect(try await server.phoneBlock("/account", .put, body: "{", agent).status == 400)

      let asked = try await server.phoneBlock("/check-prefix?sha1=88e9&prefix10=e864&prefix100=dc3b", agent)
      #expect(asked.status == 200)
      #expect(asked.text.contains(#""range10":[],"range100":[]"#))
      #expect(asked.text.contains(#""phone":"+12015550123""#) && asked.text.contains(#""votes":10,"#))
      let none = try await server.phoneBlock("/check-prefix?sha1=0000&prefix10=e864&prefix100=dc3b", agent)
      #expect(none.text.trimmingCharacters(in: .whitespaces) == #"{"numbers":[],"range10":[],"range100":[]}"#)
      #expect(none.text.utf8.count == 4_096 && asked.text.utf8.count == 4_096)

      // Only 200 is success.
      let rated = try await server.phoneBlock(
        "/rate", .post, body: #"{"phone":"0049302312500","rating":"C_PING","comment":"Rang once."}"#, agent)
      #expect(rated.status == 200 && rated.text == "Rating recorded.")
      let seen = try await server.phoneBlock("/report-call/0012015550123?wildcard=true", .post, agent)
      #expect(seen.status == 204 && seen.text.isEmpty)
      #expect(try await Fixture.count("SELECT named FROM number_identifications WHERE number = 12015550123") == 1)
      #expect(try await server.phoneBlock("/num/12015550123", agent).text.contains(#""calls":0,"#))
      // Digits alone are a German number in reports, and an international one in questions.
      let digits = try await server.phoneBlock(
        "/rate", .post, body: #"{"phone":"15123456789","rating":"G_FRAUD"}"#, agent)
      #expect(digits.status == 200)
      #expect(try await Fixture.count("SELECT count(*) FROM reports WHERE number = 4915123456789") == 1)
      #expect(try await server.phoneBlock("/num/15123456789", agent).text.contains(#""phone":"+15123456789""#))

      let list = try await server.phoneBlockBytes(
        "/blocklist?format=binary&type=community&minDirect=4&minRange=10&maxBytes=65536", agent)
      // The region of the account is Germany.
      #expect(list == [0x50, 0x42, 0x42, 0x4C, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      #expect(try await server.phoneBlockBytes("/blocklist?format=binary&type=personal", agent).count == 16)
    }
  }

  @Test func `the Android app checks by hash and keeps personal lists`() async throws {
    try await Fixture.list([Listing(number: 12_015_550_123, category: .pyramid, cause: .decision)])
    let (number, ten, hundred) = Fixture.hashes
    let path = "/check?sha1=\(number)&prefix10=\(ten)&prefix100=\(hundred)"
    try await TestServer.run { server in
      let found = try await server.phoneBlock(path)
      #expect(found.status == 200 && found.headers[.contentType] == "application/json; charset=utf-8")
      for part in [
        #""phone":"+12015550123""#, #""votes":10,"#, #""rating":"G_FRAUD""#, #""archived":false"#,
        #""whiteListed":false"#, #""blackListed":false"#, #""votesWildcard":0,"#,
      ] { #expect(found.text.contains(part), "\(part)") }
      let unknown = try await server.phoneBlock("/check?sha1=\(ten)&prefix10=nonsense")
      #expect(unknown.status == 200 && unknown.text.contains(#""phone":"unknown""#))
      #expect(unknown.text.contains(#""votes":0,"#) && unknown.text.contains(#""rating":"A_LEGITIMATE""#))

      // A number and all that begin with its first digits.
      for path in ["/whitelist/%2B12015550123", "/blacklist/0033199000248", "/blacklist/+49302?wildcard=true"] {
        #expect(try await server.phoneBlock(path, .put).status == 204)
        #expect(try await server.phoneBlock(path, .put).status == 204)
      }
      let allowed = try await server.phoneBlock(path)
      #expect(allowed.text.contains(#""whiteListed":true"#) && allowed.text.contains(#""blackListed":false"#))
      // Some clients read the figures alone.
      for part in [#""votes":0,"#, #""rating":"A_LEGITIMATE""#, #""votesWildcard":0,"#, #""spamConfidence":0,"#] {
        #expect(allowed.text.contains(part), "\(part)")
      }
      #expect(try await server.phoneBlock("/num/+33199000248").text.contains(#""blackListed":true"#))
      #expect(try await server.phoneBlock("/num/+493023125001").text.contains(#""blackListed":true"#))
      let list = try await server.phoneBlock("/blacklist")
      #expect(list.text.contains(#""phone":"+33199000248""#) && list.text.contains(#""wildcard":true"#))
      #expect(!list.text.contains("12015550123"))
      #expect(try await server.phoneBlock("/whitelist").text.contains(#""phone":"+12015550123""#))
      let binary = try await server.phoneBlockBytes("/blocklist?format=binary&type=personal")
      #expect(
        Array(binary.prefix(16)) == [0x50, 0x42, 0x42, 0x4C, 1, 0, 0b100000, 0, 2, 0, 0, 0, 1, 0, 0, 0]
          && binary.count == 40 && binary[16] == 0)
      // A found number needs no other hash for the beginning of numbers.
      #expect(try await server.phoneBlock("/whitelist/+12015?wildcard=true", .put).status == 204)
      #expect(try await server.phoneBlock("/whitelist/+12015550123", .delete).status == 204)
      #expect(try await server.phoneBlock("/check?sha1=\(number)").text.contains(#""whiteListed":true"#))
      #expect(try await server.phoneBlock("/whitelist/+12015?wildcard=true", .delete).status == 204)
      #expect(try await server.phoneBlock("/whitelist/+12015550123", .put).status == 204)
      // Of another user.
      let other = try await AppStore(pool: Fixture.pool).create(name: "Other", at: Date()).key
      #expect(try await server.phoneBlock("/blacklist", key: other).text == #"{"numbers":[]}"#)
      // Moved to the other list, then removed.
      #expect(try await server.phoneBlock("/blacklist/+12015550123", .put).status == 204)
      #expect(try await server.phoneBlock("/whitelist").text == #"{"numbers":[]}"#)
      #expect(try await server.phoneBlock(path).text.contains(#""blackListed":true"#))
      #expect(try await server.phoneBlock("/blacklist/+12015550123", .delete).status == 204)
      #expect(try await server.phoneBlock("/blacklist/+12015550123", .delete).status == 204)
      #expect(try await server.phoneBlock(path).text.contains(#""blackListed":false"#))
    }
  }

  @Test func `SpamBlocker reads ratings by regular expression and reports`() async throws {
    try await Fixture.list([Listing(number: 12_015_550_123, category: .survey, cause: .reports)])
    let agent: HTTPFields = [.userAgent: "SpamBlocker/5.13"]
    try await TestServer.run { server in
      let (number, ten, hundred) = Fixture.hashes
      let spam = try await server.phoneBlock("/check?sha1=\(number)&prefix10=\(ten)&prefix100=\(hundred)", agent)
      #expect(spam.text.contains(#/"rating":"[B-G]_/#) && !spam.text.contains(#/"whiteListed":true/#))
      let other = try await server.phoneBlock("/check?sha1=\(ten)&prefix10=\(ten)&prefix100=\(hundred)", agent)
      #expect(!other.text.contains(#/"rating":"[B-G]_/#))
      var headers = agent
      headers[.contentType] = "application/json"
      let rated = try await server.phoneBlock(
        "/rate", .post, body: #"{"phone":"+12015550123","rating":"G_FRAUD","comment":""}"#, headers)
      #expect(rated.status == 200)
      // SpamBlocker does not escape comments.
      let broken = try await server.phoneBlock(
        "/rate", .post, body: #"{"phone":"+12015550123","rating":"G_FRAUD","comment":"He said "hello""}"#, headers)
      #expect(broken.status == 400 && broken.headers[.contentType]?.hasPrefix("text/plain") ?? false)
      let later = try await server.phoneBlock(
        "/rate", .post, body: #"{"phone":"+12015550123","rating":"A_LEGITIMATE"}"#,
        [.contentType: "application/x-www-form-urlencoded"])
      #expect(later.status == 200)
      // The later rating replaced the vote.
      #expect(try await Fixture.count("SELECT count(*) FROM number_reporters") == 1)
      #expect(try await Fixture.count("SELECT category_id::bigint FROM number_reporters") == 13)
      #expect(try await Fixture.count("SELECT count(*) FROM reports") == 2)
      let xml = try await server.phoneBlock("/check?sha1=\(number)&format=xml", agent)
      #expect(xml.headers[.contentType] == "text/xml; charset=utf-8")
      #expect(xml.text.hasPrefix(#"<phone-info phone="+12015550123" votes="10" rating="D_POLL""#))
    }
  }

  @Test func `the 3CX script and PhonebookSync ask by number`() async throws {
    try await Fixture.list([
      Listing(number: 12_015_550_123, category: .gambling, cause: .reports),
      Listing(number: 493_023_125_001, category: .silent, cause: .decision),
    ])
    try await TestServer.run(configure: { $0.api.phoneBlockRegion = PhoneRegion("DE") }) { server in
      let international = try await server.phoneBlock("/num/12015550123")
      #expect(international.text.contains(#""rating":"F_GAMBLE""#) && international.text.contains(#""votes":10,"#))
      let national = try await server.phoneBlock("/num/03023125001")
      #expect(national.text.contains(#""phone":"+493023125001""#) && national.text.contains(#""rating":"C_PING""#))
      let sync = try await server.phoneBlock("/num/+493023125002?format=json")
      #expect(sync.status == 200 && sync.text.contains(#""rating":"A_LEGITIMATE""#))
      for text in ["110", "nonsense", "+", "00", "%FF", String(repeating: "1", count: 90)] {
        let answer = try await server.phoneBlock("/num/\(text)")
        #expect(answer.status == 400 && answer.text == "Invalid phone number.", "\(text)")
      }
      let encoded = Data("user:\(server.key)".utf8).base64EncodedString()
      let basic = try await server.phoneBlock(
        "/num/12015550123", [.authorization: "Basic \(encoded)", .accept: "text/xml"])
      #expect(basic.status == 200 && basic.text.hasPrefix("<phone-info "))
    }
  }

  @Test func `BlocklistSyncCLI loads the list, then the changes`() async throws {
    let numbers: [Int64] = [12_015_550_123, 33_199_000_248, 33_199_000_300]
    try await Fixture.list([
      Listing(number: numbers[0], category: .fraud, cause: .reports),
      Listing(number: numbers[1], category: .other, cause: .decision),
    ])
    try await Fixture.weigh(numbers[0], evidence: 28)
    let headers: HTTPFields = [.userAgent: "PhoneBlockSync/1.0"]
    try await TestServer.run { server in
      let empty = try await server.phoneBlock("/blocklist", headers)
      #expect(empty.status == 200 && empty.text == #"{"numbers":[],"version":0}"#)
      try await Fixture.publish(811, [numbers[1], numbers[2]], in: server.folder)
      try await Fixture.publish(812, [numbers[0], numbers[1]], in: server.folder)
      let time = Int64(Fixture.now.timeIntervalSince1970 * 1_000)
      let first = #"{"phone":"+12015550123","votes":20,"rating":"G_FRAUD","lastActivity":"#
      let second = #"{"phone":"+33199000248","votes":10,"rating":"B_MISSED","lastActivity":"#
      let full = try await server.phoneBlock("/blocklist", headers)
      #expect(full.headers[.contentType] == "application/json; charset=utf-8")
      #expect(full.text.hasPrefix(#"{"numbers":["# + first + "\(time / 1_000)".prefix(8)))
      #expect(full.text.contains(second) && full.text.hasSuffix(#"],"version":812}"#))
      #expect(try JSONSerialization.jsonObject(with: Data(full.text.utf8)) is [String: Any])
      // A number that has left the list has no votes.
      let changes = try await server.phoneBlock("/blocklist?since=811", headers)
      #expect(changes.text.contains(first) && !changes.text.contains(second))
      #expect(changes.text.contains(#"{"phone":"+33199000300","votes":0,"rating":"A_LEGITIMATE","lastActivity":"#))
      #expect(try await server.phoneBlock("/blocklist?since=812", headers).text == #"{"numbers":[],"version":812}"#)
      // None, too old, and ahead after a backup was restored.
      for since in ["0", "7", "900"] {
        #expect(try await server.phoneBlock("/blocklist?since=\(since)", headers).text == full.text, "\(since)")
      }
      let hottest = try await server.phoneBlock("/blocklist?limit=1", headers)
      #expect(hottest.text.contains(first) && !hottest.text.contains(second))
      #expect(hottest.text.hasSuffix(#"],"version":812}"#))
      let xml = try await server.phoneBlock("/blocklist?format=xml", headers)
      #expect(xml.text.hasPrefix(#"<blocklist version="812"><numbers><phone-info phone="+12015550123" votes="20""#))
      #expect(xml.text.hasSuffix("</numbers></blocklist>") && xml.headers[.contentType] == "text/xml; charset=utf-8")
      for query in [
        "since=x", "since=-1", "since=811&limit=5", "since=811&format=binary", "limit=0", "limit=5001", "format=csv",
        "type=other&format=binary",
      ] {
        let refused = try await server.phoneBlock("/blocklist?\(query)", headers)
        #expect(refused.status == 400 && refused.headers[.contentType]?.hasPrefix("text/plain") ?? false, "\(query)")
      }
      // Java's client offers HTTP/2 on a plain connection.
      let port = server.port
      let key = server.key
      let answer = try await raw {
        let connection = try RawConnection(port: port)
        connection.send(
          "GET /phoneblock/api/blocklist?since=812 HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
            + "Content-Length: 0\r\nHost: 127.0.0.1:\(port)\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
            + "Upgrade: h2c\r\nUser-Agent: PhoneBlockSync/1.0\r\nAuthorization: Bearer \(key)\r\n\r\n")
        connection.endSending()
        return try connection.readToEnd()
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix(#"{"numbers":[],"version":812}"#))
    }
  }
}
