// SPDX-License-Identifier: Apache-2.0

import Curation
import CurlHTTP
import Foundation
import Jobs
import OutboundHTTP
import Publishing
import Storage
import TestSupport
import Testing

@Suite(.database) struct OwnerCodeDeliveryTests {
  @Test func `an expired code is not sent and not kept`() async throws {
    let (pool, now) = (TestDatabase.current.pool, Date())
    let store = OutboxStore(pool: pool)
    let job = OutboxJob(
      store: store, secret: try #require(WebhookSecret("a secret of 26 characters")), mailer: nil, writer: { _ in nil },
      opener: { _ in
        Issue.record("An expired code was opened.")
        return nil
      }, logger: .forTests)
    let stored = try await OwnerProofStore(pool: pool).add(
      [UInt8](repeating: 1, count: 32), for: 493_023_125_123, at: now, event: Event(.ownerCode, at: now),
      to: ["http://127.0.0.1:9/"])
    #expect(stored)
    try await OutboundHTTP.withClient { client throws in
      #expect(try await job.sendDue(at: now + 900.001, by: client).map(\.failure) == [.tookTooLong(seconds: 900)])
    }
    #expect(try await store.waiting().isEmpty)
  }

  @Test func `a failure of a clock that was ahead delays no publication`() {
    #expect(PublicationTiming(PublicationAttempts(failed: 1, sinceFailure: -86_400)) == .publish)
    #expect(PublicationTiming(PublicationAttempts(failed: 1, sinceFailure: 1)) == .wait)
  }
}
