// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Moderation
import PhoneNumbers
import Storage
import TestSupport
import Testing

@testable import HTTPServer
@testable import ModerationSite

/// The page of a case follows the recipes where it says in which packs the next publication has the number.
@Suite(.database) struct CaseOutlookTests {
  private func packs(
    _ recipes: [Recipe], hasCalls: Bool = true, entries: [String: Int] = [:]
  ) async throws -> String {
    let number = try #require(PhoneNumber(digits: 33_199_000_248))
    let pool = TestDatabase.current.pool
    let decision = try Decision(
      number: number.digits, treatment: .block, category: .fraud, reason: "Calls.", decidedBy: "Ada", decidedAt: Date())
    _ = try await DecisionService(pool: pool).record(decision)
    let outlook = CaseOutlook(try await ExplanationStore(pool: pool).explain(number.digits, at: Date() + 1))
    let found = PackPlaces.Found(serial: 1, places: [], entries: entries)
    return outlook.packs(
      of: number, recipes, hasCalls: hasCalls, found: found, try MessageCatalog(folder: Checkout.texts)[.english])
  }

  @Test func `packs of recipes that take the number are named`() async throws {
    let recipes = [
      Recipe(name: "toxic", kind: .identification, limit: 10), Recipe(name: "blocklist", kind: .blocking, limit: 10),
      Recipe(name: "names", kind: .identification, limit: 10, source: .directory),
      Recipe(name: "german", kind: .blocking, limit: 10, area: .regions(["DE"])),
      Recipe(name: "by-{region}", kind: .blocking, limit: 10, area: .split),
    ]
    #expect(try await packs(recipes) == "Packs: toxic (labels), blocklist (blocks), by-fr (blocks).")
  }

  @Test func `a number that no recipe takes is in no pack`() async throws {
    let surveys = Recipe(name: "surveys", kind: .blocking, limit: 10, categories: [.survey])
    let identified = Recipe(name: "rings", kind: .identification, limit: 10, isIdentifiedOnly: true)
    let text = try await packs([surveys, identified], hasCalls: false)
    #expect(text == "No recipe includes this number, so no pack contains it.")
    #expect(try await packs([surveys, identified]) == "Packs: rings (labels).")
  }

  @Test func `a full pack takes only numbers with a higher rank`() async throws {
    let recipe = Recipe(name: "blocklist", kind: .blocking, limit: 10)
    let text = try await packs([recipe], entries: ["blocklist": 10])
    #expect(text.hasSuffix("blocklist is full: it takes only the 10 numbers with the highest rank."))
    #expect(try await !packs([recipe], entries: ["blocklist": 9]).contains("full"))
  }
}
