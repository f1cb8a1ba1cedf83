// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@Suite struct DecayTests {
  private let day: TimeInterval = 86_400

  @Test func `a weight is halved after one half-life`() {
    let said = Date(timeIntervalSince1970: 1_700_000_000)
    let sum = Decay.heat.storedSum(of: 8, at: said)
    #expect(abs(Decay.heat.value(ofStoredSum: sum, at: said) - 8) < 1e-9)
    #expect(abs(Decay.heat.value(ofStoredSum: sum, at: said + 14 * day) - 4) < 1e-9)
    #expect(abs(Decay.heat.value(ofStoredSum: sum, at: said + 42 * day) - 1) < 1e-9)
  }

  @Test func `stored sums equal the sum of the decayed weights`() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let ages = [0.0, 1, 3, 20, 100, 400]
    let stored = ages.reduce(0) { $0 + Decay.evidence.storedSum(of: 1, at: now - $1 * day) }
    let expected = ages.reduce(0) { $0 + pow(0.5, $1 / 125) }
    #expect(abs(Decay.evidence.value(ofStoredSum: stored, at: now) - expected) < 1e-9)
  }

  @Test func `decay never changes the order`() {
    let older = Decay.heat.storedSum(of: 5, at: Date(timeIntervalSince1970: 1_700_000_000))
    let newer = Decay.heat.storedSum(of: 4, at: Date(timeIntervalSince1970: 1_700_600_000))
    for later in stride(from: 0.0, to: 3_000, by: 100) {
      let now = Date(timeIntervalSince1970: 1_700_600_000 + later * day)
      let order = Decay.heat.value(ofStoredSum: older, at: now) < Decay.heat.value(ofStoredSum: newer, at: now)
      #expect(order == (older < newer))
    }
  }

  @Test(arguments: [1992, 2010, 2026, 2050, 2068])
  func `stored sums stay finite for decades`(year: Int) {
    let time = Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * day)
    for decay in [Decay.heat, .evidence] {
      let sum = decay.storedSum(of: 1, at: time)
      #expect(sum.isNormal)
      #expect((sum * 1e9).isFinite)
      #expect(abs(decay.value(ofStoredSum: sum, at: time) - 1) < 1e-9)
    }
  }
}
