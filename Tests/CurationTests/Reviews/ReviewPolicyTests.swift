// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@Suite struct ReviewPolicyTests {
  private let policy = ReviewPolicy(share: 0, maxReporters: 100)

  private func rule(reporters: Int, isHeld: Bool = false, isListed: Bool = false) -> AllowRule {
    AllowRule(isHeld: isHeld, isListed: isListed, isAppealed: false, reporters: reporters)
  }

  @Test func `reach depends on the treatment`() {
    let id = UUID()
    #expect(policy.cause(of: id, .allow, rule(reporters: 20)) == nil)
    #expect(policy.cause(of: id, .allow, rule(reporters: 21)) == .reach)
    #expect(policy.cause(of: id, .allow, rule(reporters: 0, isHeld: true)) == .reach)
    #expect(policy.cause(of: id, .allow, rule(reporters: 0, isListed: true)) == .reach)
    #expect(policy.cause(of: id, .block, rule(reporters: 100, isListed: true)) == nil)
    #expect(policy.cause(of: id, .block, rule(reporters: 101)) == .reach)
    #expect(policy.cause(of: id, .identify, rule(reporters: 101)) == .reach)
  }

  @Test func `the sample has its share and is a function of the ID`() throws {
    let ids = (0..<20_000).map { index in
      // Ids that differ in few bits are spread as evenly as random ones.
      UUID(uuidString: String(format: "00000000-0000-4000-8000-%012x", index))
    }.compactMap { $0 }
    let share = ReviewPolicy(share: 0.02, maxReporters: 100)
    let sampled = ids.filter { share.cause(of: $0, .block, rule(reporters: 1)) == .sample }
    #expect((300...500).contains(sampled.count))
    #expect(sampled.allSatisfy { ReviewPolicy.position(of: $0) < 0.02 })
    let all = ReviewPolicy(share: 1, maxReporters: 100)
    #expect(ids.allSatisfy { all.cause(of: $0, .allow, rule(reporters: 1)) == .sample })
    #expect(ids.allSatisfy { policy.cause(of: $0, .allow, rule(reporters: 1)) == nil })
  }
}
