// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Testing

@testable import RingfenceClient

/// Apps refuse what the server would refuse. The kit does not import the server, so it has copies of its limits.
@Suite struct ClientLimitsTests {
  @Test func `apps have the limits of the server`() {
    #expect(CallBatch.longest == Batch.limit)
    #expect(RemediationCounts.limit == RemediationLimits.calls)
    #expect(RemediationCounts.maxAgeInDays == Int(RemediationLimits.maxAgeInDays))
    #expect(ClientReport.maxCommentLength == CommentRule.maxLength)
  }

  @Test func `an app's name for its user is as long as the server takes it`() throws {
    func report(_ length: Int) throws(ClientError) {
      _ = try ClientReport(number: "+1", category: "fraud", reporter: String(repeating: "a", count: length))
    }
    try report(TextLimit.reporter)
    #expect(throws: ClientError.self) { try report(TextLimit.reporter + 1) }
  }
}
