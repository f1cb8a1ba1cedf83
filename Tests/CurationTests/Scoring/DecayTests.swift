import Curation
import Foundation
import Testing

@Suite struct DecayTests {
  private let day: TimeInterval = 86_400

  @Test func aWeightCountsHalfAfterAHalfLife() {
    let said = Date(timeIntervalSince1970: 1_700_000_000)
    let mass = Decay.heat.mass(of: 8, at: said)
    #expect(abs(Decay.heat.value(ofMass: mass, at: said) - 8) < 1e-9)
    #expect(abs(Decay.heat.value(ofMass: mass, at: said + 14 * day) - 4) < 1e-9)
    #expect(abs(Decay.heat.value(ofMass: mass, at: said + 42 * day) - 1) < 1e-9)
  }

  @Test func massesAddUpToWhatDecayingEachWouldGive() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let ages = [0.0, 1, 3, 20, 100, 400]
    let stored = ages.reduce(0) { $0 + Decay.evidence.mass(of: 1, at: now - $1 * day) }
    let expected = ages.reduce(0) { $0 + pow(0.5, $1 / 125) }
    #expect(abs(Decay.evidence.value(ofMass: stored, at: now) - expected) < 1e-9)
  }

  @Test func waitingNeverChangesTheOrder() {
    let older = Decay.heat.mass(of: 5, at: Date(timeIntervalSince1970: 1_700_000_000))
    let newer = Decay.heat.mass(of: 4, at: Date(timeIntervalSince1970: 1_700_600_000))
    for later in stride(from: 0.0, to: 3_000, by: 100) {
      let now = Date(timeIntervalSince1970: 1_700_600_000 + later * day)
      let order = Decay.heat.value(ofMass: older, at: now) < Decay.heat.value(ofMass: newer, at: now)
      #expect(order == (older < newer))
    }
  }

  @Test(arguments: [1992, 2010, 2026, 2050, 2068])
  func massesStayInRangeForDecades(year: Int) {
    let time = Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * day)
    for decay in [Decay.heat, .evidence] {
      let mass = decay.mass(of: 1, at: time)
      #expect(mass.isNormal)
      #expect((mass * 1e9).isFinite)
      #expect(abs(decay.value(ofMass: mass, at: time) - 1) < 1e-9)
    }
  }
}
