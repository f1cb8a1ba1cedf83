// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Intake
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Jobs

/// The rests of a sweep while reports arrive.
@Suite(.database) struct SweepPaceTests {
  @Test func `a rest is four times as long as the part before it, and only while reports arrive`() {
    #expect(SweepPace.pause(after: .milliseconds(200), isBusy: true) == .milliseconds(800))
    #expect(SweepPace.pause(after: .seconds(3), isBusy: true) == .seconds(5))
    #expect(SweepPace.pause(after: .seconds(3), isBusy: false) == .zero)
  }

  @Test func `reports make the intake busy for a second`() {
    let pending = PendingNumberQueue(capacity: 10)
    #expect(!pending.isReceiving)
    pending.insert([33_199_000_248])
    #expect(pending.isReceiving)
  }

  @Test func `a sweep rests after each part and evaluates all numbers`() async throws {
    let stores = Stores(pool: TestDatabase.current.pool)
    let now = Date(timeIntervalSince1970: 1_795_000_000)
    let reports = (0..<1_200).flatMap { index in
      (0..<2).map { reporter in
        Report(
          number: 33_199_000_000 + Int64(index), appID: 1, reportID: UUID(), reportedAt: now, category: .fraud,
          reporter: [UInt8](repeating: UInt8(reporter + 1), count: 16), comment: "A comment \(index)")
      }
    }
    _ = try await stores.reports.accept(reports, receivedAt: now)
    let quick = try await stores.queue.sweep(at: now)
    let rests = Mutex(0)
    let rested = try await stores.queue.sweep(at: now, rest: { rests.withLock { $0 += 1 } })
    // Each batch of records and each batch of cases, of at most 500.
    #expect(rests.withLock(\.self) >= rested.judged / 500 && rested.judged == quick.judged)
    #expect(rests.withLock(\.self) > 0)
  }
}
