// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Storage
import TestSupport
import Testing

@testable import Importing

@Suite(.database) struct SourceCatalogTests {
  @Test func `each list of the catalog has an effect with the default thresholds`() async throws {
    let catalog = try SourceCatalog.read(resources: Checkout.resources)
    let set = try await Stores(pool: TestDatabase.current.pool).thresholds.current()
    #expect(Set(catalog.sources.map(\.name)).count == catalog.sources.count && catalog.sources.count > 3)
    for entry in catalog.sources {
      #expect(entry.settings.ineffective(nil, entry.rule, in: set) == [], "\(entry.name)")
      #expect(SourceSubscriptions.interval(entry.every, of: entry.settings.format) == entry.settings.every)
      #expect(SourceSubscriptions.isAddress(entry.settings.url))
    }
  }

  @Test func `settings without effect are found with the weight that is sufficient`() async throws {
    let set = try await Stores(pool: TestDatabase.current.pool).thresholds.current()
    var settings = Source.Settings(
      name: "list", url: "https://example.com/list", format: .csv, every: 21_600, ceiling: .identify)
    func found(_ change: SourceRuleChange) -> [IneffectiveSetting] { settings.ineffective(nil, change, in: set) }
    let low = IneffectiveSetting.weightTooLow(weight: 1, category: "other", sufficient: 3.2)
    #expect(found(SourceRuleChange()) == [low])
    #expect(found(SourceRuleChange(weight: 3.1)).count == 1 && found(SourceRuleChange(weight: 3.2)) == [])
    #expect(
      found(SourceRuleChange(weight: 5, complaints: 1, days: 2)) == [.limitsTooHigh(complaints: 1, days: 2, most: 1)])
    #expect(found(SourceRuleChange(weight: 0)) == [.weightZero])
    settings.ceiling = .review
    #expect(found(SourceRuleChange(days: 3)) == [.weightTooLow(weight: 1, category: "other", sufficient: 1.6)])
    settings.options.categories = ["*": "fraud"]
    #expect(found(SourceRuleChange(weight: 1.1)) == [])
    settings.ceiling = .nothing
    #expect(found(SourceRuleChange()) == [])
  }
}
