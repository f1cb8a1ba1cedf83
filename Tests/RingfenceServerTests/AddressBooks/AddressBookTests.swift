// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Moderation
import PhoneNumbers
import Publishing
import Storage
import Support
import TestSupport
import Testing

@testable import API
@testable import HTTPServer
@testable import RingfenceCommand

/// The requests of CardDAV clients, with their headers and bodies.
@Suite(.database) struct AddressBookTests {
  private typealias Fixture = PhoneBlockFixture

  private static let numbers: [Int64] = [12_015_550_123, 12_015_550_124, 33_199_000_248, 33_199_000_300]
  private static let block = "/carddav/books/block/"

  /// Lists numbers to block and 33 1 99 00 03 00 to identify, and publishes them.
  private static func publish(_ serial: Int64, blocked: [Int64], in folder: PublicationFolder) async throws {
    try await Fixture.list(
      blocked.map { Listing(number: $0, category: .fraud, cause: .reports) }
        + [Listing(number: numbers[3], category: .survey, cause: .reports, treatment: .identify)], serial: serial)
    try await Fixture.publish(serial, blocked.sorted(), in: folder)
  }

  private static func find(_ properties: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><D:propfind xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav" "#
      + #"xmlns:CS="http://calendarserver.org/ns/"><D:prop>\#(properties)</D:prop></D:propfind>"#
  }

  private static func sync(_ token: String, limit: Int = 100) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><A:sync-collection xmlns:A="DAV:"><A:sync-token>\#(token)</A:sync-token>"#
      + "<A:sync-level>1</A:sync-level><A:limit><A:nresults>\(limit)</A:nresults></A:limit><A:prop><A:getetag/></A:prop></A:sync-collection>"
  }

  private static func multiget(_ paths: [String]) -> String {
    #"<?xml version="1.0" encoding="utf-8"?><C:addressbook-multiget xmlns="DAV:" "#
      + #"xmlns:C="urn:ietf:params:xml:ns:carddav"><prop><getetag/><C:address-data/></prop>"#
      + paths.map { "<href>\($0)</href>" }.joined() + "</C:addressbook-multiget>"
  }

  /// The paths of cards in an answer.
  private static func cards(_ text: String) -> [String] {
    text.matches(of: /<d:href>([^<]*\.vcf)<\/d:href>/).map { String($0.1) }
  }

  private static func token(_ text: String) throws -> String {
    String(try #require(text.firstMatch(of: /<d:sync-token>([^<]+)<\/d:sync-token>/)).1)
  }

  @Test func `a FRITZ!Box reads the complete book each time`() async throws {
    try await TestServer.run { server in
      try await Self.publish(812, blocked: Array(Self.numbers.prefix(3)), in: server.folder)
      let headers: HTTPFields = [.userAgent: "FRITZ!Box 7590 154.08.02 CardDAV"]
      let body = Self.find("<D:getetag/><D:getcontenttype/><C:unknown/>")
      // Each request comes without a login first.
      let refused = try await server.dav("PROPFIND", Self.block, depth: "1", body, headers, login: nil)
      #expect(refused.status == 401)
      #expect(refused.headers[.wwwAuthenticate] == #"Basic realm="Ringfence", charset="UTF-8""#)
      #expect(refused.text.contains("Enter your app's key as the password") && !refused.text.contains("Bearer"))
      let found = try await server.dav("PROPFIND", Self.block, depth: "1", body, headers)
      #expect(found.status == 207 && found.headers[.contentType] == "application/xml; charset=utf-8")
      #expect(found.text.contains("<d:href>/carddav/books/block/</d:href>"))
      #expect(found.text.contains("<d:getcontenttype>text/vcard; charset=utf-8</d:getcontenttype>"))
      #expect(found.text.contains("<card:unknown/></d:prop><d:status>HTTP/1.1 404 Not Found"))
      let pasted = try await server.dav(
        "PROPFIND", Self.block, depth: "1", body, headers,
        login: "Basic \(Data("phone: \(server.key)\n".utf8).base64EncodedString())")
      #expect(pasted.status == 207)
      let paths = Self.cards(found.text)
      #expect(paths.count == 1)
      let cards = try await server.dav("REPORT", Self.block, Self.multiget(paths + ["\(Self.block)none.vcf"]), headers)
      #expect(cards.status == 207 && Self.cards(cards.text) == paths + ["\(Self.block)none.vcf"])
      #expect(cards.text.contains("none.vcf</d:href><d:status>HTTP/1.1 404 Not Found"))
      #expect(
        cards.text.contains(
          "FN:SPAM: Suspected fraud&#13;\nN:SPAM: Suspected fraud;;;;&#13;\nCATEGORIES:SPAM&#13;\nTEL;TYPE=WORK:+12015550123&#13;\n"
        ))
      #expect(cards.text.matches(of: /TEL;/).count == 3 && !cards.text.contains("\(Self.numbers[3])"))
      let others = try await server.dav(
        "REPORT", "/carddav/books/identify", #"<c:addressbook-query xmlns:c="urn:ietf:params:xml:ns:carddav"/>"#)
      #expect(others.text.contains("FN:Survey&#13;") && others.text.contains("TEL;TYPE=WORK:+33199000300"))
    }
  }

  @Test func `an iPhone finds the books, and loads the changes alone`() async throws {
    try await TestServer.run { server in
      try await Self.publish(812, blocked: Array(Self.numbers.prefix(2)), in: server.folder)
      let headers: HTTPFields = [.userAgent: "iOS/18.1 (22B83) dataaccessd/1.0"]
      let redirect = try await server.dav("PROPFIND", "/.well-known/carddav", depth: "0", headers, login: nil)
      #expect(redirect.status == 301 && redirect.headers[.location] == "/carddav/")
      let options = try await server.dav("OPTIONS", "/carddav/principal/", headers)
      #expect(options.status == 200 && options.headers[HTTPField.Name("DAV")!] == "1, 3, addressbook")
      #expect(options.headers[.allow] == "OPTIONS, PROPFIND")
      #expect(try await server.dav("OPTIONS", Self.block, headers).headers[.allow] == "OPTIONS, PROPFIND, REPORT")
      let root = try await server.dav(
        "PROPFIND", "/carddav/", depth: "0", Self.find("<D:current-user-principal/>"), headers)
      #expect(root.text.contains("<d:current-user-principal><d:href>/carddav/principal/</d:href>"))
      let principal = try await server.dav(
        "PROPFIND", "/carddav/principal//", depth: "0", Self.find("<C:addressbook-home-set/><D:displayname/>"), headers)
      #expect(principal.text.contains("<card:addressbook-home-set><d:href>/carddav/books/</d:href>"))
      let home = try await server.dav(
        "PROPFIND", "/carddav/books/", depth: "1",
        Self.find("<CS:getctag/><D:resourcetype/><D:sync-token/><D:current-user-privilege-set/>"), headers)
      // A phone would let calls of the numbers to block through, as calls of contacts.
      #expect(home.text.matches(of: /<d:collection\/><card:addressbook\/>/).count == 1)
      #expect(home.text.contains("/carddav/books/identify/") && !home.text.contains(Self.block))
      #expect(home.text.contains(#"<getctag xmlns="http://calendarserver.org/ns/">"#))
      #expect(!home.text.contains("<d:write"))

      let first = try await server.dav("REPORT", Self.block, Self.sync(""), headers)
      #expect(first.status == 207 && Self.cards(first.text).count == 1 && !first.text.contains("BEGIN:VCARD"))
      let token = try Self.token(first.text)
      let book = try await server.dav("PROPFIND", Self.block, depth: "0", Self.find("<D:sync-token/>"), headers)
      #expect(book.text.contains("<d:sync-token>\(token)</d:sync-token>"))
      let second = try await server.dav("REPORT", Self.block, Self.sync(token), headers)
      #expect(second.status == 207 && Self.cards(second.text).isEmpty)
      #expect(try Self.token(second.text) == token)

      // Nine and more numbers of a name have several contacts.
      let added = (0..<9).map { 33_199_000_400 + Int64($0) }
      try await Self.publish(813, blocked: added + [Self.numbers[0]], in: server.folder)
      let changed = try await server.dav("REPORT", Self.block, Self.sync(token), headers)
      #expect(changed.text.matches(of: /<d:status>HTTP\/1.1 404 Not Found<\/d:status><\/d:response>/).count == 1)
      #expect(changed.text.matches(of: /<d:getetag>/).count == 2)
      let cut = try await server.dav("REPORT", Self.block, Self.sync("", limit: 1), headers)
      #expect(cut.status == 507 && cut.text.contains("<d:number-of-matches-within-limits/>"))
      let newest = try Self.token(changed.text)
      #expect(newest != token)
      // A publication without changes.
      try await Self.publish(814, blocked: added + [Self.numbers[0]], in: server.folder)
      let same = try await server.dav("REPORT", Self.block, Self.sync(newest), headers)
      #expect(same.status == 207 && Self.cards(same.text).isEmpty)

      let unknown = "urn:ringfence:sync:812-" + String(repeating: "0", count: 32)
      for token in ["data:,1", "urn:ringfence:sync:../../x-0", unknown, "\(token)0"] {
        let refused = try await server.dav("REPORT", Self.block, Self.sync(token), headers)
        #expect(refused.status == 403 && refused.text.contains("<d:valid-sync-token/>"), "\(token)")
      }
    }
  }

  @Test func `DAVx5 and vdirsyncer load single cards`() async throws {
    try await TestServer.run { server in
      // Nothing is published yet. Devices would delete their contacts for an empty book.
      #expect(try await server.dav("PROPFIND", Self.block, depth: "1").status == 503)
      try await Self.publish(812, blocked: Array(Self.numbers.prefix(2)), in: server.folder)
      let all = try await server.dav("PROPFIND", Self.block, depth: "1", [.userAgent: "DAVx5/4.4.5-ose okhttp/4.12.0"])
      let path = try #require(Self.cards(all.text).first)
      let bearer = "Bearer \(server.key)"
      let card = try await server.dav("GET", path, login: bearer)
      #expect(card.status == 200 && card.text.hasPrefix("BEGIN:VCARD\r\nVERSION:3.0\r\n"))
      #expect(card.headers[.contentType] == "text/vcard; charset=utf-8")
      let tag = try #require(card.headers[.eTag])
      #expect(all.text.contains("<d:getetag>\(tag)</d:getetag>"))
      #expect(try await server.dav("GET", path, [.ifNoneMatch: tag], login: bearer).status == 304)
      // Each spelling of a path would be another copy of the card.
      let spellings = (0..<20).map { path.replacing("books", with: String(repeating: "/", count: $0) + "books") }
      let cards = try await server.dav("REPORT", Self.block, Self.multiget(spellings + spellings))
      #expect(cards.text.matches(of: /BEGIN:VCARD/).count == 2 && Self.cards(cards.text).count == 20)
      let name = try #require(path.split(separator: "/").last)
      let elsewhere = [path.replacing("/block/", with: "/identify/"), "/nonsense/\(name)"]
      let strange = try await server.dav("REPORT", Self.block, Self.multiget(elsewhere + ["http://localhost\(path)"]))
      #expect(strange.text.matches(of: /BEGIN:VCARD/).count == 1)
      let missing = (0..<5).map { "\(Self.block)\($0).vcf" }
      let last = try await server.dav("REPORT", Self.block, Self.multiget(missing + [path]))
      #expect(last.text.matches(of: /BEGIN:VCARD/).count == 1 && Self.cards(last.text) == missing + [path])
    }
  }

  @Test func `bodies are limited, and nothing can be written`() async throws {
    try await TestServer.run { server in
      try await Self.publish(812, blocked: [Self.numbers[0]], in: server.folder)
      let many = (0..<65).map { "<D:a\($0)/>" }.joined()
      let deep = String(repeating: "<D:a>", count: 17) + String(repeating: "</D:a>", count: 17)
      for body in [
        "<", "no XML", "<D:propfind/>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a>&b;</a>", "<a></b>",
        "<a/><b/>", Self.find(many), Self.find(deep), Self.find("<D:a\"/>"),
        Self.find("<D:\(String(repeating: "a", count: 2_100))/>"),
        Self.find("<a xmlns=\"\(String(repeating: "&lt;", count: 1_100))\"/>"),
      ] {
        let refused = try await server.dav("PROPFIND", "/carddav/", body, [.accept: "text/html"])
        #expect(refused.status == 400 && refused.text.hasPrefix("{"), "\(body.prefix(60))")
      }
      for depth in [nil, "infinity"] {
        let refused = try await server.dav("PROPFIND", "/carddav/", depth: depth)
        #expect(refused.status == 403 && refused.text.contains("<d:propfind-finite-depth/>"))
      }
      #expect(try await server.dav("PROPFIND", "/carddav/", depth: "2").status == 400)
      let long = String(repeating: " ", count: BodyReader.envelopeLimit + 1)
      #expect(try await server.dav("PROPFIND", "/carddav/", long).status == 413)
      #expect(try await server.dav("REPORT", Self.block, Self.find("<D:a/>")).status == 400)
      #expect(try await server.dav("PROPFIND", "/carddav/books/other/").status == 404)
      #expect(try await server.dav("GET", "\(Self.block)x.vcf").status == 404)
      for method in ["PUT", "DELETE"] { #expect(try await server.dav(method, "\(Self.block)x.vcf").status == 403) }
      #expect(try await server.dav("POST", Self.block).status == 405)
      #expect(try await server.dav("MKCOL", Self.block).status == 501)
      let apps = AppStore(pool: TestDatabase.current.pool)
      let other = try await apps.create(name: "Other", scopes: [.lookup], at: Date()).key
      #expect(try await server.dav("PROPFIND", "/carddav/", depth: "0").status == 207)
      #expect(try await server.dav("PROPFIND", "/carddav/", depth: "0", login: "Bearer \(other)").status == 403)
    }
    try await TestServer.run(configure: { $0.access.interfaces.remove(.addressBooks) }, app: "Off") {
      server async throws in
      #expect(try await server.dav("PROPFIND", Self.block).status == 404)
      #expect(try await server.dav("GET", "/.well-known/carddav").status == 404)
    }
  }

  @Test func `a book has the hottest numbers of a region, and stays the same after a restart`() async throws {
    for (place, number) in Self.numbers.prefix(3).enumerated() {
      try await Fixture.weigh(number, evidence: 12, heat: Double(place + 1))
    }
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      try await Self.publish(812, blocked: Array(Self.numbers.prefix(3)), in: folder)
      func book(_ limit: Int, _ region: String?) async throws -> AddressBook {
        try await Self.books(folder, limit: limit, region: region).book(.block)
      }
      let hottest = try await book(2, nil)
      #expect(hottest.cards[0].text.contains("+12015550124") && hottest.cards[0].text.contains("+33199000248"))
      #expect(!hottest.cards[0].text.contains("+12015550123"))
      // The day is one contact more, and the settings have books of their own.
      let dated = try await Self.books(folder, limit: 2, hasDay: true).book(.block)
      let day = "FN:SPAM: Ringfence \(Timestamp.format(Date()).prefix(10))"
      #expect(
        dated.cards.filter { $0.text.contains(day) }.count == 1 && !hottest.cards.contains { $0.text.contains(day) })
      #expect(dated.cards.reduce(0) { $0 + $1.text.matches(of: /TEL/).count } == 3)
      let french = try await book(2, "FR")
      #expect(french.cards[0].text.contains("+33199000248") && !french.cards[0].text.contains("+1"))
      try await Fixture.list([], serial: 812)
      #expect(try await book(2, nil).tag == hottest.tag)
      // The United States and Canada have the same calling code.
      let canadian: Int64 = 14_165_550_123
      try await Self.publish(813, blocked: Array(Self.numbers.prefix(3)) + [canadian], in: folder)
      let (canada, states) = (try await book(1, "CA"), try await book(2, "US"))
      #expect(canada.cards.count == 1 && canada.cards[0].text.contains("+\(canadian)"))
      #expect(states.cards.count == 1 && !states.cards[0].text.contains("+\(canadian)"))
    }
  }

  private static func books(
    _ folder: PublicationFolder, limit: Int = 100, region: String? = nil, hasDay: Bool = false
  ) -> AddressBooks {
    var options = AddressBookOptions()
    (options.limit, options.region, options.hasDay) = (limit, region.flatMap(PhoneRegion.init), hasDay)
    return AddressBooks(
      newest: NewestManifest(folder: folder, files: OpenFiles()), folder: folder,
      callers: CallerStore(pool: Fixture.pool), publications: PublicationStore(pool: Fixture.pool),
      options: options)
  }

  @Test func `a book is kept without a manifest, but not for more than two publications`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let books = Self.books(folder)
      await #expect(throws: Problem.self) { try await books.book(.block) }
      try await Self.publish(812, blocked: [Self.numbers[0]], in: folder)
      let book = try await books.book(.block)
      #expect(book.cards.count == 1)
      try FileManager.default.removeItem(atPath: folder.manifestPath)
      #expect(try await books.book(.block).tag == book.tag)
      await #expect(throws: Problem.self) { try await Self.books(folder).book(.block) }
      // The database does not have the listings of these publications.
      for serial in [Int64(813), 814] {
        try await Fixture.publish(serial, [Self.numbers[1]], in: folder, isRecorded: false)
        #expect(try await books.book(.block).serial == 812)
      }
      try await Fixture.publish(815, [Self.numbers[1]], in: folder, isRecorded: false)
      await #expect(throws: Problem.self) { try await books.book(.block) }
      // The folder of the books cannot be made.
      try FileManager.default.removeItem(atPath: folder.filePath(".addressbooks"))
      try Data().write(to: URL(filePath: folder.filePath(".addressbooks")))
      try await Self.publish(816, blocked: [Self.numbers[1]], in: folder)
      #expect(try await books.book(.block).serial == 816)
    }
  }

  @Test func `changes since an earlier book need one of the kept books`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let books = Self.books(folder)
      var tags: [Int64: String] = [:]
      for serial in Int64(812)...815 {
        try await Self.publish(serial, blocked: [Self.numbers[Int(serial) % 3]], in: folder)
        // On a busy machine the earlier book is served first.
        let deadline = ContinuousClock.now + .seconds(300)
        var book = try await books.book(.block)
        while book.serial != serial, .now < deadline { book = try await books.book(.block) }
        tags[serial] = book.tag
      }
      for _ in 0..<2 {
        for (serial, tag) in tags { #expect(await books.earlier(.block, serial: serial, tag: tag)?.tag == tag) }
        #expect(await books.earlier(.block, serial: 811, tag: "") == nil)
        #expect(await books.earlier(.block, serial: 812, tag: "") == nil)
      }
    }
  }

  @Test func `a decision after the publication only takes numbers away`() async throws {
    try await withTemporaryFolder { path in
      let folder = PublicationFolder(path: path)
      let decisions = DecisionService(pool: Fixture.pool)
      func texts() async throws -> (block: String, identify: String) {
        let books = Self.books(folder)
        let all = (try await books.book(.block), try await books.book(.identify))
        try FileManager.default.removeItem(atPath: folder.filePath(".addressbooks"))
        return (all.0.cards.map(\.text).joined(), all.1.cards.map(\.text).joined())
      }
      try await Self.publish(812, blocked: [Self.numbers[0]], in: folder)
      let identified = "+\(Self.numbers[3])"
      let block = try Decision(
        number: Self.numbers[3], treatment: .block, reason: "Fraud.", decidedBy: "Test", decidedAt: Fixture.now)
      _ = try await decisions.record(block)
      let decided = try await texts()
      // As packs have it until the next publication.
      #expect(!decided.block.contains(identified) && decided.identify.contains(identified))
      #expect(decided.block.contains("+\(Self.numbers[0])"))
      _ = try await decisions.undo(block.id, of: Self.numbers[3], decidedBy: "Test", at: Date())
      let undone = try await texts()
      #expect(!undone.block.contains(identified) && undone.identify.contains(identified))
      _ = try await decisions.record(
        try Decision(
          number: Self.numbers[3], treatment: .allow, reason: "A shop.", decidedBy: "Test", decidedAt: Fixture.now))
      let allowed = try await texts()
      #expect(!allowed.block.contains(identified) && !allowed.identify.contains(identified))
    }
  }

  @Test func `an answer of more than 8 MiB is refused`() {
    var answer = DAVAnswer()
    let names = (0..<64).map { DAVName(namespace: "a", name: "b\($0)") }
    for _ in 0..<1_000 { answer.add("/", [:], asked: names) }
    #expect(answer.response.status.code == 207)
    for _ in 0..<10_000 { answer.add("/", [:], asked: names) }
    #expect(answer.response.status.code == 507)
  }

  @Test func `a combining mark does not hide a special character of a request`() throws {
    let text = #"<a:b xmlns:a="DAV:"><a:sync-token>&amp;\#u{301}&#38;</a:sync-token></a:b>"#
    #expect(try DAVRequest(Data(text.utf8)).syncToken == "&\u{301}&")
  }

  @Test func `the user name may have any encoding`() {
    func password(_ bytes: [UInt8]) -> String? {
      ClientKey.password(ofBasic: "Basic \(Data(bytes).base64EncodedString())")
    }
    #expect(password([0x4D, 0xFC] + Array(":rf_x:y".utf8)) == "rf_x:y")
    #expect(password(Array("name:".utf8) + [0xFC]) == nil && password([0x4D]) == nil)
  }
}

extension TestServer {
  /// Sends a request of CardDAV.
  /// - Parameter login: the field `Authorization`; empty for the key as password, nil for none.
  fileprivate func dav(
    _ method: String, _ path: String, depth: String? = nil, _ body: String = "", _ headers: HTTPFields = [:],
    login: String? = ""
  ) async throws -> (status: Int, text: String, headers: HTTPFields) {
    var headers = headers
    let basic = "Basic \(Data("phone:\(key)".utf8).base64EncodedString())"
    headers[.authorization] = login.map { $0.isEmpty ? basic : $0 }
    if let depth { headers[HTTPField.Name("Depth")!] = depth }
    if !body.isEmpty { headers[.contentType] = "text/xml; charset=utf-8" }
    let response = try await client.execute(
      uri: path, method: #require(HTTPRequest.Method(method)), headers: headers, body: ByteBuffer(string: body))
    return (response.status.code, String(buffer: response.body), response.headers)
  }

  fileprivate func dav(
    _ method: String, _ path: String, depth: String? = nil, _ headers: HTTPFields, login: String? = ""
  ) async throws -> (status: Int, text: String, headers: HTTPFields) {
    try await dav(method, path, depth: depth, "", headers, login: login)
  }
}
