// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Storage
import TestSupport
import Testing

@Suite(.database) struct RegionStoreTests {
  private var store: RegionStore { RegionStore(pool: TestDatabase.current.pool) }

  @Test func `without regions numbers lie in countries`() async throws {
    let map = try await store.map()
    #expect(map.region(of: 33_199_000_248) == "FR")
    #expect(map.region(of: 12_125_550_123) == "US")
  }

  @Test func `a new region file replaces the old one`() async throws {
    try await store.replace(with: [
      StoredRegion(code: "us-212", name: "Manhattan", prefixes: [1_646, 1_212]),
      StoredRegion(code: "east", name: "East", prefixes: [44_1]),
    ])
    #expect(
      try await store.regions() == [
        StoredRegion(code: "east", name: "East", prefixes: [441]),
        StoredRegion(code: "us-212", name: "Manhattan", prefixes: [1_212, 1_646]),
      ])
    try await store.replace(with: [StoredRegion(code: "us-212", name: "New York", prefixes: [1_212])])
    let map = try await store.map()
    #expect(map.region(of: 12_125_550_123) == "us-212")
    #expect(map.region(of: 16_465_550_123) == "US")
    #expect(map.region(of: 441_000) == "GB")
  }
}
