import Curation
import Foundation
import Testing

@Suite struct StandingTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)

  private func part(_ category: ReportCategory, _ weight: Double) -> Standing.Part {
    Standing.Part(
      category: category, heat: Decay.heat.mass(of: weight, at: now),
      evidence: Decay.evidence.mass(of: weight, at: now), reports: Int64(weight), reporters: Int32(weight))
  }

  @Test func theHottestToxicCategoryLeads() {
    let standing = Standing(parts: [part(.survey, 2), part(.fraud, 3), part(.legitimate, 9)])
    #expect(standing.leading == .fraud)
  }

  @Test func ofEqualsTheFirstCategoryLeads() {
    #expect(Standing(parts: [part(.survey, 2), part(.fraud, 2)]).leading == .fraud)
    #expect(Standing(parts: [part(.legitimate, 2)]).leading == nil)
  }

  @Test func votesForANumberCostItsListingItsConfidence() {
    let threshold = Threshold(category: .fraud, heat: 3, confidence: 0.5, reviewHeat: 1)
    #expect(threshold.lists(Standing(parts: [part(.fraud, 10)]), at: now))
    #expect(!threshold.lists(Standing(parts: [part(.fraud, 10), part(.legitimate, 10)]), at: now))
  }

  @Test func aNumberThatFallsSilentLeavesTheList() {
    let threshold = Threshold(category: .fraud, heat: 3, confidence: 0.3, reviewHeat: 1)
    let standing = Standing(parts: [part(.fraud, 10)])
    #expect(threshold.lists(standing, at: now + 14 * 86_400))
    #expect(!threshold.lists(standing, at: now + 28 * 86_400))
  }

  @Test func everyLabelFitsAndSlugsAreUnique() {
    #expect(Set(ReportCategory.allCases.map(\.slug)).count == 13)
    for category in ReportCategory.allCases {
      #expect((1...24).contains(category.label.utf8.count))
      #expect(ReportCategory(slug: category.slug) == category)
    }
  }
}
