// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Publishing

/// Evidence of other servers that this one passes on.
extension ProvenanceTests {
  /// Rows of subscriptions are read where the packs are made; no subscription is needed.
  @Test func `evidence of other servers keeps its origins`() async throws {
    try await ThresholdStore(pool: pool).beLenient()
    try await complain(few, reporters: 0..<4)
    let apps = AppStore(pool: pool)
    let feeds = SourceStore(pool: pool)
    let others = ["00000000000000aa", "ffffffffffffff00"]
    try await withTemporaryFolder { path in
      // The first publication fixes the id of this server.
      _ = try await publisher(path).publish(at: now)
      let own = try #require(try PublicationFolder(path: path).serverID())
      for (name, entries) in [
        // One that reporters know too, one that another list has too, one of two servers, one that came back here.
        ("Other", [few: others, five: others, many: others, blocked: [own]]),
        ("Third", [many: ["00000000000000bb"], five: [String]()]),
      ] {
        let app = try await apps.source(named: name, at: now)
        let settings = Source.Settings(
          name: name, url: "https://\(name).example/", format: .csv, every: 3_600, ceiling: .block)
        #expect(try await feeds.add(settings, as: app, by: Actor(name: "Ada", role: .administrator), at: now))
        let rows = entries.keys.sorted().map {
          SourceEntryChange(old: nil, new: SourceEntry(number: $0, category: .fraud, reportedAt: now, complaints: 9))
        }
        try await ReportStore(pool: pool).change(rows, of: app.id, at: now)
        try await pool.withConnection { connection in
          _ = try await connection.execute("UPDATE source_feeds SET refreshed_at = \(now) WHERE app_id = \(app.id)")
          for (number, origins) in entries {
            try await connection.execute(
              script: """
                UPDATE source_entries
                SET origins = '{\(origins.joined(separator: ","))}', hops = \(name == "Other" ? 2 : 1)
                WHERE app_id = \(app.id) AND number = \(number)
                """)
          }
        }
      }
      _ = try await publisher(path).publish(at: now + 60)
      let rows = try evidence("toxic", path).rows
      #expect(rows.map(\.number) == [few, five, many, blocked])
      #expect(rows.map(\.strength) == [nil, nil, nil, nil])
      // Four reporters are no evidence in addition to others; another list is.
      #expect(rows[0].origins == others)
      #expect(rows[1].origins == (others + [own]).sorted())
      #expect(rows[2].origins == ["00000000000000aa", "00000000000000bb", "ffffffffffffff00"])
      #expect(rows[3].origins == [own])
      // Passed on over one server more than by the shortest way; evidence of this server is not passed on.
      #expect(rows.map(\.hops) == [3, nil, 2, nil])
      // The reports of a downloaded list have the day on which they were replaced.
      #expect(rows.allSatisfy { $0.lastDay == nil })

      // A report without an entry is one of the subscription's server, and a source that lists nothing adds no origin.
      let server = "00000000000000cc"
      try await pool.withConnection { connection in
        try await connection.execute(
          script: """
            DELETE FROM source_entries WHERE number = \(few);
            UPDATE source_feeds SET server_id = '\(server)' WHERE name = 'Other';
            UPDATE source_feeds SET ceiling = 'review' WHERE name = 'Third'
            """)
      }
      _ = try await publisher(path).publish(at: now + 120)
      let later = try evidence("toxic", path).rows
      #expect(later.map(\.number) == [few, five, many, blocked])
      #expect(later[0].origins == [server])
      #expect(later.map(\.hops) == [1, 3, 3, nil])
      #expect(later[2].origins == others)
    }
  }

  @Test func `origins of subscriptions come before invented ones`() {
    let (own, known) = (ServerID(value: 7), ServerID(value: 9_999))
    var limit = ProvenanceOriginLimit(server: own, subscribed: [known])
    let many = (100..<200).map { ServerID(value: $0) }
    #expect(limit.origins(many + [known], hasOwn: false) == many.prefix(62) + [known])
    // The budget ends; subscriptions, and the evidence of this server, stay.
    for _ in 0..<2_000 { _ = limit.origins(many, hasOwn: false) }
    let relayed = limit.origins(many + [known], hasOwn: false) ?? []
    #expect(relayed.contains(known) && relayed.count <= 1 + ProvenanceOriginLimit.maxForRow)
    let shared = limit.origins(many + [known], hasOwn: true) ?? []
    #expect(shared.contains(known) && shared.contains(own))
    // Few reporters are evidence where no other origin is within the limits.
    for value in 10_000..<16_000 as Range<UInt64> { _ = limit.origins([ServerID(value: value)], hasOwn: false) }
    #expect(limit.origins([ServerID(value: 20_000)], hasOwn: false, isReported: true) == [own])
    #expect(limit.origins([ServerID(value: 20_000)], hasOwn: false) == nil)
    #expect(limit.origins([many[0]], hasOwn: false, isReported: true) == [many[0]])
  }

  @Test func `origins that other servers invent are limited`() throws {
    let own = ServerID(value: 7)
    var limit = ProvenanceOriginLimit(server: own)
    let many = (100..<200).map { ServerID(value: $0) }
    #expect(limit.origins(many, hasOwn: true) == [own] + many.prefix(63))
    #expect(limit.origins(many + [own], hasOwn: false) == Array(many.prefix(63)))
    #expect(limit.origins([], hasOwn: false) == [own])
    #expect(limit.origins([own], hasOwn: false) == [own])
    for value in 1_000..<6_000 as Range<UInt64> { _ = limit.origins([ServerID(value: value)], hasOwn: false) }
    // Unknown servers are left out; a row of them alone is no evidence of this server.
    #expect(limit.origins([ServerID(value: 9_000)], hasOwn: false) == nil)
    #expect(limit.origins([ServerID(value: 9_000)], hasOwn: true) == [own])
    #expect(limit.origins([ServerID(value: 9_000), many[0]], hasOwn: false) == [many[0]])
    for first in 0..<63 {
      for second in 1_000..<2_000 as Range<UInt64> {
        _ = limit.origins([many[first], ServerID(value: second)], hasOwn: false)
      }
    }
    #expect(limit.origins([many[62], ServerID(value: 1_999)], hasOwn: false) == [many[62]])
    #expect(limit.origins([many[62], ServerID(value: 1_999)], hasOwn: true) == [own])
    #expect(limit.origins(many, hasOwn: true) == [own] + many.prefix(63))
  }
}
