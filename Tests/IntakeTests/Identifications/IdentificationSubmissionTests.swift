// SPDX-License-Identifier: Apache-2.0

import Foundation
import Intake
import Storage
import Testing

@Suite struct IdentificationSubmissionTests {
  private let now = Date(timeIntervalSince1970: 1_795_262_400)  // 2026-11-21T12:00:00Z

  private var good: IdentificationSubmission {
    IdentificationSubmission(
      batchID: "5f0b1f5e-7d3e-4a53-9c1b-0a5a4fc0b9ad",
      items: [
        .init(number: "+33 1 99 00 02 48", named: 3, unknown: 0, day: "2026-11-21"),
        .init(number: "01 99 00 02 48", region: "FR", named: 0, unknown: 1_000_000, day: "2026-10-22"),
      ])
  }

  private func problems(_ change: (inout IdentificationSubmission) -> Void) -> [String] {
    var submission = good
    change(&submission)
    do {
      _ = try submission.batch(appID: 1, at: now)
      return []
    } catch {
      return error.problems.map { "\($0.field): \($0.code)" }
    }
  }

  @Test func `a valid submission becomes a batch`() throws {
    let batch = try good.batch(appID: 3, at: now)
    #expect(batch.appID == 3)
    #expect(batch.contentHash.count == 32)
    #expect(
      batch.items == [
        .init(number: 33_199_000_248, day: 20_748, named: 0, unknown: 1_000_000),
        .init(number: 33_199_000_248, day: 20_778, named: 3, unknown: 0),
      ])
  }

  @Test func `every invalid field is reported with a pointer and a code`() {
    #expect(problems { $0.batchID = "1" } == ["batch_id: not_a_uuid"])
    #expect(problems { $0.items = [] } == ["items: length"])
    #expect(problems { $0.items = Array(repeating: $0.items[0], count: 1_001) } == ["items: length"])
    #expect(problems { $0.items = Array(repeating: $0.items[0], count: 1_000) } == [])
    #expect(problems { $0.items[1].number = "x" } == ["items/1/number: not_a_number"])
    #expect(problems { $0.items[1].region = nil } == ["items/1/region: needs_region"])
    #expect(problems { $0.items[0].named = -1 } == ["items/0/named: out_of_range"])
    #expect(problems { $0.items[0].unknown = 1_000_001 } == ["items/0/unknown: out_of_range"])
    #expect(problems { $0.items[0].day = "2026-11-21T00:00:00Z" } == ["items/0/day: not_a_day"])
    #expect(problems { $0.items[0].day = "2026-02-30" } == ["items/0/day: not_a_day"])
    #expect(problems { $0.items[0].day = "2026-11-22" } == [])
    #expect(problems { $0.items[0].day = "2026-11-23" } == ["items/0/day: in_the_future"])
    #expect(problems { $0.items[0].day = "2026-10-21" } == ["items/0/day: too_old"])
    #expect(
      problems {
        $0.batchID = ""
        $0.items[0].day = ""
        $0.items[1].named = -1
      } == ["batch_id: not_a_uuid", "items/0/day: not_a_day", "items/1/named: out_of_range"])
  }

  @Test func `the content hash does not depend on the order of items`() throws {
    var turned = good
    turned.items.reverse()
    turned.items[1].number = "+33199000248"
    #expect(try turned.batch(appID: 1, at: now).contentHash == good.batch(appID: 2, at: now).contentHash)
    turned.items[0].unknown -= 1
    #expect(try turned.batch(appID: 1, at: now).contentHash != good.batch(appID: 1, at: now).contentHash)
  }
}
