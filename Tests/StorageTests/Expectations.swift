// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL
import Storage
import TestSupport
import Testing

/// Compares the aggregates of the database with the model, and the recount with both.
func expectStandings(
  _ model: ReportModel, at now: Date, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let pool = TestDatabase.current.pool
  for number in model.numbers {
    let got = try await NumberStore(pool: pool).standing(of: number)
    let expected = model.standing(of: number)
    let record = try await NumberStore(pool: pool).record(of: number)
    let whole = model.record(of: number)
    #expect(record?.days == whole.days, sourceLocation: sourceLocation)
    // Bits of withdrawn reports stay while reports without a known network may have set them.
    let networks = record?.networks.bits ?? 0
    #expect(networks & whole.networks.bits == whole.networks.bits, sourceLocation: sourceLocation)
    #expect(networks & ~model.networksEver(of: number).bits == 0, sourceLocation: sourceLocation)
    let sources = record?.sources ?? []
    #expect(sources.map(\.appID) == whole.sources.map(\.appID), sourceLocation: sourceLocation)
    for (mine, theirs) in zip(sources, whole.sources) {
      #expect((mine.complaints, mine.days) == (theirs.complaints, theirs.days), sourceLocation: sourceLocation)
      #expect(abs(mine.heat - theirs.heat) <= 1e-6 * theirs.heat, sourceLocation: sourceLocation)
      #expect(abs(mine.evidence - theirs.evidence) <= 1e-6 * theirs.evidence, sourceLocation: sourceLocation)
    }
    #expect(got.parts.map(\.category) == expected.parts.map(\.category), sourceLocation: sourceLocation)
    for (mine, theirs) in zip(got.parts, expected.parts) {
      #expect(mine.reports == theirs.reports, sourceLocation: sourceLocation)
      #expect(mine.reporters == theirs.reporters, sourceLocation: sourceLocation)
      let scale = max(Decay.heat.scale(at: now), theirs.heat)
      #expect(abs(mine.heat - theirs.heat) < 1e-9 * scale, sourceLocation: sourceLocation)
      let slow = max(Decay.evidence.scale(at: now), theirs.evidence)
      #expect(abs(mine.evidence - theirs.evidence) < 1e-9 * slow, sourceLocation: sourceLocation)
    }
  }
  #expect(try await recountAll().differences == [], sourceLocation: sourceLocation)
}

/// Recounts everything in small ranges.
func recountAll(
  _ numbers: ClosedRange<Int64> = RecountStore.allNumbers, repairs: Bool = false
) async throws -> (summary: RecountSummary, differences: [RecountDifference]) {
  let found = Collected<RecountDifference>()
  let summary = try await RecountStore(pool: TestDatabase.current.pool, rangeSize: 5).recount(
    numbers, repairs: repairs, found: { found.add($0) })
  return (summary, found.all)
}
