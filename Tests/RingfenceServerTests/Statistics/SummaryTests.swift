// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Hummingbird
import Publishing
import TestSupport
import Testing

@testable import API
@testable import HTTPServer

@Suite(.database) struct SummaryTests {
  private struct Refusal: Decodable {
    let detail: String
  }

  private static func pack(
    _ name: String, _ kind: String, _ entries: Int, region: String? = nil, shard: Int? = nil
  ) -> ManifestPack {
    ManifestPack(
      name: name, kind: kind, region: region, shard: shard, serial: 3, entries: entries, first: 1_000_000,
      last: 2_000_000, bytes: 100, sha256: String(repeating: "a", count: 64),
      contentSHA256: String(repeating: "b", count: 64), path: "packs/\(name)-3.rfpack")
  }

  private static func manifest(serial: Int64 = 3) -> Manifest {
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    return Manifest(
      serial: serial, issued: time, asOf: time, expires: time.addingTimeInterval(86_400), previous: nil,
      packs: [
        pack("toxic", "blocking", 10), pack("blocklist.1", "blocking", 100, shard: 1),
        pack("blocklist.2", "blocking", 50, shard: 2), pack("most-identified", "identification", 30),
        pack("directory-de", "identification", 20, region: "DE"),
        pack("directory-us-212", "identification", 7, region: "US-212"),
        pack("directory-us-213", "identification", 8, region: "US-213"),
      ])
  }

  @Test func `sizes of overlapping lists are not added up but those of parts are`() throws {
    func summary(_ region: String?) -> PublicationSummary {
      PublicationSummary(Self.manifest(), next: nil, region: region)
    }
    #expect(summary(nil).numbers.blocking == 150)
    #expect(summary(nil).numbers.identification == 35)
    #expect(summary("US").regionNumbers == 15)
    #expect(summary("DE").regionNumbers == 20)
    #expect(summary("FR").regionNumbers == nil)
  }

  @Test(arguments: [
    ("de-AT, de;q=0.9, en-US;q=0.5", "AT"), ("en-US;q=0.5, de-CH;q=0.8", "CH"), ("zh-Hant-TW", "TW"),
    ("sr-latn-rs", "RS"),
    ("de", nil), ("", nil), ("*", nil), ("es-419", nil), ("en-US;q=0", nil), ("x-US", nil),
  ])
  func `a language header gives its country`(_ field: String, expected: String?) {
    #expect(CallerRegion.country(acceptLanguage: field) == expected)
  }

  @Test func `the summary is cacheable and has an entity tag`() async throws {
    try await TestServer.run { server in
      func ask(_ query: String = "", _ headers: HTTPFields = [:]) async throws -> TestResponse {
        try await server.client.execute(uri: "/v1/summary\(query)", method: .get, headers: headers)
      }
      #expect(try await ask().status == .notFound)
      func publish(_ serial: Int64) throws {
        try server.folder.reveal(Self.manifest(serial: serial), signedBy: SigningKey())
      }
      try publish(3)
      let answer = try await ask("", [.acceptLanguage: "en-US"])
      let text = String(buffer: answer.body)
      #expect(
        text.contains(#""serial":3"#) && text.contains(#""region":"US""#) && text.contains(#""region_numbers":15"#))
      #expect(text.contains(#""updated_at":"2023-11-14T22:13:20Z""#))
      #expect(answer.headers[.cacheControl] == "public, max-age=300")
      #expect(answer.headers[.vary] == "Accept-Language")
      let asked = try await ask("?region=de", [.acceptLanguage: "en-US"])
      #expect(String(buffer: asked.body).contains(#""region":"DE""#) && asked.headers[.vary] == nil)
      for (sent, shown) in [("Germany", "Germany"), ("XX", "XX"), ("", ""), ("%3Cb%3E%0A", "<b>"), ("UK", "UK")] {
        let refused = try await ask("?region=\(sent)")
        #expect(refused.status == .badRequest)
        let problem = try JSONDecoder().decode(Refusal.self, from: Data(String(buffer: refused.body).utf8))
        #expect(problem.detail.hasPrefix("The region is \"\(shown)\". It must be the two letters"))
      }

      let tag = try #require(answer.headers[.eTag])
      let known: HTTPFields = [.acceptLanguage: "en-US", .ifNoneMatch: tag]
      #expect(try await ask("", known).status == .notModified)
      try publish(4)
      #expect(try await ask("", known).status == .ok)
    }
  }
}
