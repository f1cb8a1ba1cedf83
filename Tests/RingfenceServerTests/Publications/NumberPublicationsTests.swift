// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Publishing
import Storage
import TestSupport
import Testing

/// "Still blocked?": since which publication the packs have a number, or no longer have it.
@Suite(.database) struct NumberPublicationsTests {
  private struct Answer: Decodable {
    struct Pack: Decodable, Equatable {
      let pack: String
      let state: String
      let serial: Int64
      let since: String
      let is_exact: Bool
    }

    struct Copy: Decodable {
      let interface: String
      let longest_seconds: Int?
    }

    let number: String
    let serial: Int64
    let earliest_serial: Int64
    let packs: [Pack]
    let lists: [String]
    let copies: [Copy]
  }

  private static func ask(_ server: TestServer, _ number: String) async throws -> (HTTPResponse.Status, Answer?) {
    let answer = try await server.client.execute(
      uri: "/v1/numbers/\(number)/publications", method: .get, headers: [.authorization: "Bearer \(server.key)"])
    return (answer.status, try? JSONDecoder().decode(Answer.self, from: Data(answer.body.readableBytesView)))
  }

  @Test func `the answer names the publication of each change`() async throws {
    try await TestServer.run { server in
      #expect(try await Self.ask(server, "12015550123").0 == .notFound)
      let (fraud, shop, other) = (
        (Int64(12_015_550_123), "Fraud" as String?, true), (Int64(12_015_550_124), "A shop" as String?, false),
        (Int64(33_199_000_248), "Sales" as String?, true)
      )
      try ListsTests.publish(810, in: server.folder, ["toxic": [fraud, shop]])
      try ListsTests.publish(811, in: server.folder, ["toxic": [fraud, (shop.0, "A shop", true), other]])
      try ListsTests.publish(812, in: server.folder, ["toxic": [(shop.0, "A shop", true), other]])

      let (_, left) = try await Self.ask(server, "12015550123")
      let gone = try #require(left)
      #expect(gone.number == "+12015550123" && gone.serial == 812 && gone.earliest_serial == 810)
      #expect(gone.packs.map(\.state) == ["absent"] && gone.packs.map(\.serial) == [812])
      #expect(gone.packs.map(\.is_exact) == [true] && gone.packs.map(\.since) == ["2026-11-20T00:13:32Z"])

      let changed = try await Self.ask(server, "%2B12015550124").1?.packs.first
      #expect(changed?.state == "block" && changed?.serial == 811 && changed?.is_exact == true)
      let added = try await Self.ask(server, "33199000248").1?.packs.first
      #expect(added?.state == "block" && added?.serial == 811 && added?.is_exact == true)
      #expect(try await Self.ask(server, "12015550199").1?.packs == [])

      try ListsTests.publish(813, in: server.folder, ["toxic": [fraud, shop]])
      let back = try await Self.ask(server, "12015550123").1?.packs.first
      #expect(back?.state == "block" && back?.serial == 813)

      let copies = gone.copies
      #expect(copies.first { $0.interface == "lookup_by_hash" }?.longest_seconds == 3_600)
      for (interface, seconds) in [("pbx", 60), ("phoneblock_lookup", 0), ("carddav", 86_400)] {
        #expect(copies.first { $0.interface == interface }?.longest_seconds == seconds)
      }
      #expect(copies.first { $0.interface == "packs" }?.longest_seconds == 86_400)
      #expect(copies.first { $0.interface == "lists/spamblocker.csv" }?.longest_seconds == 259_200)
      #expect(copies.contains { $0.interface == "lists/fossify.txt" && $0.longest_seconds == nil })
    }
  }

  @Test func `a path that is not a number is refused`() async throws {
    try await TestServer.run { server in
      for number in ["0123", "abc", "1234567890123456", "-1", "%2B"] {
        try ListsTests.publish(810, in: server.folder)
        #expect(try await Self.ask(server, number).0 == .notFound)
        let answer = try await server.client.execute(uri: "/v1/numbers/12015550123/publications", method: .get)
        #expect(answer.status == .unauthorized)
      }
    }
  }

  @Test func `a suppressed number is answered like one that was never listed`() async throws {
    try await TestServer.run { server in
      try ListsTests.publish(810, in: server.folder, ["toxic": [(12_015_550_123, "Fraud", true)]])
      try ListsTests.publish(811, in: server.folder, ["toxic": [(12_015_550_124, "Fraud", true)]])
      #expect(try await Self.ask(server, "12015550123").1?.packs.map(\.state) == ["absent"])
      let stores = Stores(pool: TestDatabase.current.pool)
      try await stores.protection.suppress(12_015_550_123, by: .owner, at: Date())
      let suppressed = try #require(try await Self.ask(server, "12015550123").1)
      #expect(suppressed.packs == [] && suppressed.lists == [])
    }
  }

  @Test func `damaged and later files are left out`() async throws {
    try await TestServer.run { server in
      try ListsTests.publish(810, in: server.folder)
      try ListsTests.publish(812, in: server.folder)
      try Data("none".utf8).write(to: URL(filePath: "\(server.folder.path)/packs/toxic-810.rfpack"))
      // A publication that has not become visible.
      try FileManager.default.copyItem(
        atPath: "\(server.folder.path)/packs/toxic-812.rfpack", toPath: "\(server.folder.path)/packs/toxic-813.rfpack")
      let place = try await Self.ask(server, "12015550123").1?.packs.first
      #expect(place?.state == "block" && place?.serial == 812 && place?.is_exact == false)
      // Nothing is known of a pack whose newest file is missing.
      try FileManager.default.removeItem(atPath: "\(server.folder.path)/packs/toxic-812.rfpack")
      #expect(try await Self.ask(server, "12015550123").1?.packs == [])
    }
  }
}
