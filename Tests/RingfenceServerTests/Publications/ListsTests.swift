// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import HTTPTypes
import Hummingbird
import PackFormats
import Publishing
import TestSupport
import Testing

@testable import HTTPServer
@testable import RingfenceCommand

/// Lists at fixed addresses, asked for as the programs do that read them.
@Suite(.database) struct ListsTests {
  typealias Entry = (number: Int64, label: String?, blocks: Bool)

  static let entries: [Entry] = [
    (12_015_550_123, "Fraud", true), (12_015_550_124, "A shop", false), (33_199_000_248, "Sales, energy", true),
  ]

  private static func description(
    _ name: String, _ entries: [Entry], serial: Int64, in folder: PublicationFolder
  ) throws -> ManifestPack {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/packs", withIntermediateDirectories: true)
    let file = "packs/\(name)-\(serial).rfpack"
    let kind: PackKind =
      entries.allSatisfy { $0.label == nil } ? .blocking : entries.contains { $0.blocks } ? .both : .identification
    let writer = try PackWriter(
      path: "\(folder.path)/\(file)",
      options: .init(kind: kind, serial: UInt64(serial), createdAt: 1_795_132_800 + serial))
    for entry in entries {
      guard let label = entry.label else {
        try writer.append(entry.number)
        continue
      }
      try writer.append(entry.number, label: label, roles: entry.blocks ? [.blocks, .identifies] : .identifies)
    }
    let summary = try writer.finish()
    return ManifestPack(
      name: name, kind: "\(kind)", region: nil, serial: serial, entries: summary.entries, first: summary.first,
      last: summary.last, bytes: summary.bytes, sha256: summary.sha256.hex,
      contentSHA256: try PackReader.open(path: "\(folder.path)/\(file)").contentDigest().hex, path: file)
  }

  static func publish(
    _ serial: Int64, in folder: PublicationFolder, _ packs: [String: [Entry]] = ["toxic": ListsTests.entries]
  ) throws {
    let descriptions = try packs.map { try description($0.key, $0.value, serial: serial, in: folder) }
    try folder.reveal(
      Manifest(
        serial: serial, issued: Date(), asOf: Date(), expires: Date() + 86_400, previous: nil,
        packs: descriptions.sorted { $0.name < $1.name }), signedBy: SigningKey())
  }

  private static func ask(
    _ server: TestServer, _ path: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get
  ) async throws -> TestResponse {
    try await server.client.execute(uri: path, method: method, headers: headers)
  }

  @Test func `SpamBlocker downloads its CSV each day`() async throws {
    try await TestServer.run { server in
      try Self.publish(812, in: server.folder)
      let headers: HTTPFields = [
        .userAgent: "SpamBlocker/5.13", .authorization: "Bearer \(server.key)", .acceptEncoding: "gzip",
      ]
      let compressed = try await Self.ask(server, "/v1/lists/toxic.spamblocker.csv", headers)
      #expect(compressed.status == .ok && compressed.headers[.contentEncoding] == "gzip")
      #expect(compressed.headers[.contentType] == "text/csv; charset=utf-8")
      #expect(compressed.headers[.vary] == "Accept-Encoding")
      #expect([UInt8](compressed.body.readableBytesView.prefix(2)) == [0x1F, 0x8B])
      let plain = try await Self.ask(server, "/v1/lists/toxic.spamblocker.csv")
      #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
      #expect(
        String(buffer: plain.body) == "pattern,description\n12015550123,Fraud\n33199000248,\"Sales, energy\"")
      #expect(plain.headers[.eTag] != compressed.headers[.eTag])
    }
  }

  @Test func `a list is sent again only after a change`() async throws {
    try await TestServer.run { server in
      try Self.publish(812, in: server.folder)
      let path = "/v1/lists/toxic.spamblocker.csv"
      let first = try await Self.ask(server, path)
      let tag = try #require(first.headers[.eTag])
      let date = try #require(first.headers[.lastModified])
      #expect(date == HTTPDate.format(Date(timeIntervalSince1970: 1_795_133_612)))
      #expect(first.headers[.cacheControl] == "public, no-cache")
      #expect(try await Self.ask(server, path, [.ifNoneMatch: tag]).status == .notModified)
      #expect(try await Self.ask(server, path, [.ifModifiedSince: date]).status == .notModified)
      let head = try await Self.ask(server, path, method: .head)
      #expect(head.status == .ok && head.headers[.contentLength] == "\(first.body.readableBytes)")
      try Self.publish(813, in: server.folder, ["toxic": Self.entries + [(33_199_000_300, "Fraud", true)]])
      let next = try await Self.ask(server, path, [.ifNoneMatch: tag, .ifModifiedSince: date])
      #expect(next.status == .ok && String(buffer: next.body).contains("33199000300"))
    }
  }

  @Test func `changes since a serial include the numbers that have left`() async throws {
    try await TestServer.run { server in
      try Self.publish(812, in: server.folder)
      try Self.publish(
        813, in: server.folder,
        [
          "toxic": [
            (12_015_550_123, "Robocall", true), (12_015_550_124, "A shop", false), (33_199_000_300, "Fraud", true),
          ]
        ])
      let path = "/v1/lists/toxic.spamblocker.xml"
      func rows(_ query: String) async throws -> [String] {
        let answer = try await Self.ask(server, "\(path)\(query)")
        #expect(answer.status == .ok && answer.headers[.contentType] == "application/xml")
        return String(buffer: answer.body).split(separator: "\n").map(String.init)
      }
      let start = [#"<?xml version="1.0" encoding="utf-8"?>"#, #"<l v="813">"#]
      let full = [
        #"<n p="12015550123" votes="10" l="Robocall"/>"#, #"<n p="33199000300" votes="10" l="Fraud"/>"#,
      ]
      #expect(try await rows("?since=812") == start + [full[0], #"<n p="33199000248" votes="0"/>"#, full[1], "</l>"])
      #expect(try await rows("?since=813") == start + ["</l>"])
      // None, one that was never published, and one of the future after a backup was restored.
      for query in ["", "?since=0", "?since=7", "?since=900"] {
        #expect(try await rows(query) == start + full + ["</l>"], "\(query)")
      }
      let csv = try await Self.ask(server, "/v1/lists/toxic.spamblocker.csv?since=812")
      #expect(String(buffer: csv.body) == "pattern,description\n12015550123,Robocall\n33199000300,Fraud")
    }
  }

  @Test func `labeled numbers come with the parameter labels, in formats that tell them apart`() async throws {
    try await TestServer.run { server in
      try Self.publish(812, in: server.folder, ["toxic": Self.entries, "names": [(33_199_000_300, "A bank", false)]])
      let shop = "12015550124,A shop,0,"
      for (path, status, row) in [
        ("toxic.csv", 200, nil), ("toxic.csv?labels=true", 200, shop), ("toxic.csv?labels=false", 200, nil),
        ("names.csv", 404, nil), ("names.csv?labels=true", 200, "33199000300,A bank,0,"),
        ("toxic.fritzbox.xml?labels=true", 404, nil), ("toxic.csv?labels=1", 400, nil),
      ] as [(String, Int, String?)] {
        let answer = try await Self.ask(server, "/v1/lists/\(path)")
        #expect(answer.status.code == status, "\(path)")
        #expect(String(buffer: answer.body).contains(row ?? shop) == (row != nil), "\(path)")
      }
    }
  }

  @Test func `a format with a limit has the numbers with the most heat`() async throws {
    try await TestServer.run { server in
      let numbers = (0..<3_010).map { Int64(33_199_000_000) + $0 * 2 }
      try Self.publish(812, in: server.folder, ["toxic": numbers.map { ($0, "Fraud", true) }])
      let manifest = try #require(try server.folder.manifest()).manifest
      let pack = manifest.packs[0]
      // The highest numbers have the most heat, and one that the pack does not have.
      let file = try await ListFiles(folder: server.folder).file(.init(pack: pack, format: .fritzbox), of: manifest) {
        [12_015_550_123] + numbers.reversed()
      }
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let found = text.matches(of: /\+?33199(\d{6})/).compactMap { Int64("33199\($0.output.1)") }
      #expect(found == Array(numbers.suffix(3_000)))
      let lists = try await Self.ask(server, "/v1/lists")
      #expect(String(buffer: lists.body).contains(#""entries":3000"#))
    }
  }

  @Test func `other programs get their formats`() async throws {
    try await TestServer.run { server in
      try Self.publish(812, in: server.folder)
      // The dongle of PhoneBlock needs the length.
      let dongle = try await Self.ask(
        server, "/v1/lists/toxic.pbbl",
        [.userAgent: "PhoneBlock-Dongle/1.2 (abc)", .accept: "application/octet-stream"])
      #expect(dongle.headers[.contentType] == "application/octet-stream" && dongle.headers[.contentLength] == "32")
      #expect([UInt8](dongle.body.readableBytesView.prefix(12)) == [0x50, 0x42, 0x42, 0x4C, 1, 0, 0, 0, 2, 0, 0, 0])
      let tranquille = try await Self.ask(server, "/v1/lists/toxic.tranquille.csv")
      #expect(String(buffer: tranquille.body).contains("\n,Fraud,+12015550123,1795133612000,0,\n"))
      let saracroche = try await Self.ask(
        server, "/v1/lists/toxic.saracroche.json",
        [
          .accept: "application/json", .contentType: "application/json",
          HTTPField.Name("X-Device-ID")!: "8D0C9A34-0B6A-4B53-8E3A-5E2B1C0C9F11",
        ])
      #expect(saracroche.headers[.contentType] == "application/json")
      #expect(String(buffer: saracroche.body).hasPrefix(#"{"version":"812","name":"Ringfence toxic","patterns":["#))
      let callblocker = try await Self.ask(server, "/v1/lists/toxic.callblocker.json", [.userAgent: "curl/8.5.0"])
      #expect(String(buffer: callblocker.body).contains(#"{"number":"+12015550123","name":"Fraud","date_created":"#))
      let fossify = try await Self.ask(server, "/v1/lists/toxic.fossify.txt")
      #expect(fossify.headers[.contentType] == "text/plain; charset=utf-8")
      #expect(String(buffer: fossify.body) == "+12015550123,+33199000248")
      // Also the formats of recipes have the numbers to block alone here.
      for format in ["csv", "jsonl", "tsv", "asterisk.txt", "freepbx.csv", "fritzbox.xml"] {
        let text = String(buffer: try await Self.ask(server, "/v1/lists/toxic.\(format)").body)
        #expect(text.contains("12015550123") && !text.contains("12015550124"), "\(format)")
      }
      for format in ["2gis", "2gis.gz", "sqlite"] {
        let answer = try await Self.ask(server, "/v1/lists/toxic.\(format)", [.acceptEncoding: "br"])
        #expect(answer.status == .ok && answer.headers[.contentEncoding] == nil, "\(format)")
      }
      let twice = try await Self.ask(server, "/v1/lists/toxic.2gis.gz", [.acceptEncoding: "gzip"])
      #expect(twice.headers[.contentEncoding] == nil)
    }
  }

  @Test func `a wrong request has a clear status`() async throws {
    try await TestServer.run { server in
      let long: [Entry] = (Int64(33_000_000_000)..<33_000_003_001).map { ($0, nil, true) }
      try Self.publish(
        812, in: server.folder,
        ["toxic": Self.entries, "names": [(12_015_550_124, "A shop", false)], "long": long, "long.2": long])
      for (path, status) in [
        ("toxic.exe", 404), ("toxic", 404), ("none.csv", 404), ("names.csv", 404), ("..%2Ftoxic.csv", 404),
        (".csv", 404), ("toxic.pbbl?since=1", 200), ("toxic.spamblocker.csv?since=x", 400),
        ("toxic.spamblocker.xml?since=-1", 400), ("toxic.spamblocker.xml?since=99999999999999999999", 400),
        ("toxic.spamblocker.csv?since=", 400), ("long.2.csv", 200),
      ] {
        let answer = try await Self.ask(server, "/v1/lists/\(path)")
        let text = String(buffer: answer.body)
        #expect(answer.status.code == status, "\(path)")
        if status != 200 { #expect(answer.headers[.contentType] == "application/problem+json", "\(path)") }
        if status == 400 {
          #expect(text.contains("Bad request") && text.contains("The parameter since is "), "\(text)")
          #expect(text.contains(#"\"\#(path.split(separator: "=").dropFirst().first?.prefix(16) ?? "")\""#), "\(text)")
        }
      }
    }
  }

  private struct Catalogue: Decodable {
    struct List: Decodable {
      struct Category: Decodable {
        let label: String
        let entries: Int
      }
      struct Format: Decodable {
        let format: String
        let path: String
        let media_type: String
        let has_changes: Bool
      }
      let pack: String
      let serial: Int64
      let entries: Int
      let categories: [Category]
      let formats: [Format]
      let spamblocker_workflow: String
    }
    let serial: Int64
    let lists: [List]
    let spamblocker_query: String
  }

  @Test func `the catalogue names every list and its workflow`() async throws {
    try await TestServer.run { server in
      #expect(try await Self.ask(server, "/v1/lists").status == .notFound)
      #expect(try await Self.ask(server, "/v1/lists/toxic.csv").status == .notFound)
      try Self.publish(812, in: server.folder, ["toxic": Self.entries, "names": [(12_015_550_124, "A shop", false)]])
      let answer = try await Self.ask(server, "/v1/lists")
      let catalogue = try JSONDecoder().decode(Catalogue.self, from: Data(String(buffer: answer.body).utf8))
      #expect(catalogue.serial == 812 && catalogue.lists.map(\.pack) == ["toxic"])
      let list = try #require(catalogue.lists.first)
      #expect(list.entries == 2 && list.serial == 812)
      #expect(list.categories.map { "\($0.label) \($0.entries)" } == ["Fraud 1", "Sales, energy 1"])
      #expect(list.formats.count == 17)
      for format in list.formats {
        let file = try await Self.ask(server, format.path)
        #expect(file.status == .ok && file.headers[.contentType] == format.media_type, "\(format.format)")
        #expect(format.has_changes == format.format.hasPrefix("spamblocker"))
      }
      let workflow = try #require(
        try JSONSerialization.jsonObject(with: Data(list.spamblocker_workflow.utf8)) as? [String: Any])
      let actions = try #require(workflow["actions"] as? [[String: Any]])
      #expect(
        actions.map { $0["type"] as? String } == ["HttpDownload", "ParseCSV", "ImportToSpamDB", "CleanupSpamDB"])
      let url = try #require(actions[0]["url"] as? String)
      #expect(url.hasPrefix("http://") && url.hasSuffix("/v1/lists/toxic.spamblocker.csv"))
      #expect(actions[0]["header"] == nil && actions[1]["columnMapping"] as? String == "{}")
      let trigger = try #require(workflow["trigger"] as? [String: Any])
      #expect(trigger["type"] as? String == "Schedule" && trigger["enabled"] as? Bool == true)
      #expect(catalogue.spamblocker_query.contains(#"/v1/numbers/{cc}{domestic}"#))
    }
  }

  @Test func `lists need a key where publications do, and can be switched off`() async throws {
    try await TestServer.run(configure: { $0.access.publicationsNeedKey = true }) { server in
      try Self.publish(812, in: server.folder)
      for path in ["/v1/lists", "/v1/lists/toxic.csv"] {
        #expect(try await Self.ask(server, path).status == .unauthorized)
        let answer = try await Self.ask(server, path, [.authorization: "Bearer \(server.key)"])
        #expect(answer.status == .ok && answer.headers[.cacheControl] == "private, no-cache")
      }
      let answer = try await Self.ask(server, "/v1/lists", [.authorization: "Bearer \(server.key)"])
      #expect(String(buffer: answer.body).contains("{bearer_auth(KEY)}"))
      let page = String(buffer: try await Self.ask(server, "/lists").body)
      #expect(!page.contains("toxic") && !page.contains("Sales, energy") && page.contains("/v1/lists"))
    }
    try await TestServer.run(configure: { $0.access.interfaces.remove(.lists) }, app: "Without lists") { server in
      try Self.publish(812, in: server.folder)
      #expect(try await Self.ask(server, "/v1/lists").status == .notFound)
      #expect(try await Self.ask(server, "/v1/lists/toxic.csv").status == .notFound)
      #expect(try await Self.ask(server, "/lists").status == .notFound)
    }
  }

  @Test(arguments: ["/v1/lists", "/lists"])
  func `a shared cache keeps only addresses that the operator has set`(path: String) async throws {
    @Sendable func answer(_ server: TestServer) async throws -> String {
      try Self.publish(812, in: server.folder)
      return try await raw {
        let connection = try RawConnection(port: server.port)
        connection.send("GET \(path) HTTP/1.1\r\nHost: other.example:81\r\nConnection: close\r\n\r\n")
        return try connection.readToEnd()
      }
    }
    try await TestServer.run(configure: { $0.access.publicAddress = "https://ring.example" }) { server in
      let answer = try await answer(server)
      #expect(answer.contains("https://ring.example/v1/numbers/") && !answer.contains("other.example"))
      #expect(answer.contains("Cache-Control: public, no-cache\r\n"))
    }
    try await TestServer.run(app: "Without an address") { server in
      let answer = try await answer(server)
      #expect(answer.contains("http://other.example:81/v1/numbers/"))
      #expect(answer.contains("Cache-Control: private, no-cache\r\n"))
    }
  }

  @Test func `the page shows every list with its workflow`() async throws {
    try await TestServer.run { server in
      #expect(try await Self.ask(server, "/lists").status == .ok)
      try Self.publish(812, in: server.folder, ["toxic": Self.entries, "names": [(12_015_550_124, "A shop", false)]])
      for language in Language.allCases {
        let page = try await Self.ask(server, "/lists", [.acceptLanguage: language.rawValue])
        let text = String(buffer: page.body)
        for part in [
          #"href="/v1/lists/toxic.spamblocker.csv""#, "Sales, energy", "CleanupSpamDB", "ParseQueryResult",
          "prefix100=", "autoReportTypes",
        ] { #expect(text.contains(part), "\(language) \(part)") }
        #expect(!text.contains("A shop") && !text.contains("names.csv") && !text.contains("[["), "\(language)")
      }
    }
  }

  @Test func `the files of the publication before the newest are kept`() async throws {
    try await TestServer.run { server in
      func files() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "\(server.folder.path)/.lists/1")) ?? []
        return all.compactMap { $0.split(separator: "-").dropFirst().first.map(String.init) }.sorted()
      }
      for serial in Int64(812)...814 {
        try Self.publish(serial, in: server.folder)
        #expect(try await Self.ask(server, "/v1/lists/toxic.csv").status == .ok)
      }
      #expect(files() == ["813", "814"])
    }
  }

  @Test func `many requests at once make a file once`() async throws {
    try await TestServer.run { server in
      let long: [Entry] = (Int64(33_000_000_000)..<33_000_050_000).map { ($0, nil, true) }
      try Self.publish(812, in: server.folder, ["long": long])
      let tags = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          group.addTask { try await Self.ask(server, "/v1/lists/long.pbbl").headers[.eTag] }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      #expect(tags.count == 1 && !tags.contains(nil))
    }
  }

  @Test(
    arguments: [
      (nil, false), ("", false), ("gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, GZIP;q=0.5", true),
      ("gzip;q=0", false), ("*", true), ("identity", false), ("identity;q=1, gzip;q=0.5", false), ("x-gzip", true),
      ("gzip;q=abc", false), (";,;", false),
    ] as [(String?, Bool)])
  func `gzip is used where it is accepted`(field: String?, expected: Bool) {
    #expect(AcceptEncodingField(field).acceptsGzip == expected)
  }
}
