// SPDX-License-Identifier: Apache-2.0

import Curation
import TestSupport
import Testing

@Suite struct FilingPlacesTests {
  private func origin(_ network: Int, area: Int) -> FilingOrigin {
    FilingOrigin(network: [UInt8(network)], area: [UInt8(area)])
  }

  /// Files one after another.
  /// - Returns: the number of replaced and of refused filings.
  private func fill(
    _ held: inout [FilingOrigin], with flood: some Sequence<FilingOrigin>
  ) -> (out: Int, refused: Int) {
    var (out, refused) = (0, 0)
    for newcomer in flood {
      switch FilingPlaces.answer(to: newcomer, among: held) {
      case .free: held.append(newcomer)
      case .inPlaceOf(let index):
        held.remove(at: index)
        held.append(newcomer)
        out += 1
      case .none: refused += 1
      }
    }
    return (out, refused)
  }

  @Test func `a filing gets a place only while one is free`() {
    let held = [FilingOrigin](repeating: .unknown, count: FilingPlaces.most - 1)
    #expect(FilingPlaces.answer(to: .unknown, among: held) == .free)
    #expect(FilingPlaces.answer(to: .unknown, among: held + [.unknown]) == .none)
    // Filings whose origin was deleted came first: no newcomer replaces them.
    let newcomer = FilingOrigin(network: [1], area: [1])
    #expect(FilingPlaces.answer(to: newcomer, among: held + [.unknown]) == .none)
    #expect(FilingPlaces.answer(to: newcomer, among: held + [FilingOrigin(network: [2], area: [2])]) == .none)
  }

  /// Whatever arrives from fewer networks than there are places, in any order, the owner from another network gets a
  /// place and keeps it.
  @Test(arguments: 1...40) func `a flood from few networks does not displace another network`(seed: Int) {
    var chance = SeededGenerator(seed: UInt64(seed))
    let networks = Int.random(in: 1..<FilingPlaces.most, using: &chance)
    func flood(_ count: Int) -> [FilingOrigin] {
      (0..<count).map { _ in
        let network = Int.random(in: 0..<networks, using: &chance)
        return origin(network, area: network % 7)
      }
    }
    var held: [FilingOrigin] = []
    _ = fill(&held, with: flood(400))
    let owner = origin(200, area: 100)
    #expect(fill(&held, with: [owner]).refused == 0)
    _ = fill(&held, with: flood(400))
    #expect(held.contains(owner) && held.count <= FilingPlaces.most)
  }

  /// One owner of a thousand networks, all in one area, keeps nobody from another area out.
  @Test func `a flood from one area does not displace another area`() {
    var held: [FilingOrigin] = []
    _ = fill(&held, with: (0..<200).map { origin($0, area: 1) })
    #expect(Set(held).count == FilingPlaces.most)
    let owner = origin(250, area: 2)
    #expect(fill(&held, with: [owner]).refused == 0)
    _ = fill(&held, with: (0..<200).map { origin($0, area: 1) })
    #expect(held.contains(owner))
  }

  /// However many are sent, few are stored in addition to those that have a place.
  @Test(arguments: 1...5) func `the number of exchanged places is bounded`(seed: Int) {
    var chance = SeededGenerator(seed: UInt64(seed))
    var held: [FilingOrigin] = []
    let flood = (0..<3_000).map { _ in
      origin(.random(in: 0..<120, using: &chance), area: .random(in: 0..<30, using: &chance))
    }
    #expect(fill(&held, with: flood).out < 1_300)
    #expect(held.count == FilingPlaces.most)
  }
}
