// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import TestSupport
import Testing

@Suite struct SketchTests {
  @Test(arguments: [1, 2, 3] as [UInt64]) func `complaint days equal a set of dates`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let days = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        Int32.random(in: 20_600...20_800, using: &generator)
      }
      var one = ComplaintDays()
      for day in days { one.insert(day) }
      let kept = Set(days).filter { (days.max() ?? 0) - $0 < 64 }
      #expect(one.count == kept.count)
      #expect(one.lastDay == days.max())
      // In two halves, merged.
      let place = days.count / 2
      var halves = [ComplaintDays(), ComplaintDays()]
      for (index, day) in days.enumerated() { halves[index < place ? 0 : 1].insert(day) }
      halves[1].formUnion(halves[0])
      #expect(halves[1] == one)
    }
  }

  @Test func `a day is a UTC day`() {
    #expect(ComplaintDays.day(of: Date(timeIntervalSince1970: 86_399.9)) == 0)
    #expect(ComplaintDays.day(of: Date(timeIntervalSince1970: 86_400)) == 1)
    #expect(ComplaintDays.day(of: Date(timeIntervalSince1970: -1)) == -1)
  }

  /// The figures in the documentation of the sketch.
  @Test func `the network sketch never overcounts`() {
    var generator = SeededGenerator(seed: 4)
    for (networks, expected) in [(5, 4.85), (10, 9.3), (64, 40.6)] {
      var sum = 0
      for _ in 0..<2_000 {
        var sketch = NetworkSketch()
        for _ in 0..<networks { sketch.insert([UInt8.random(in: 0...255, using: &generator), 1, 2]) }
        #expect(sketch.count <= networks)
        sum += sketch.count
      }
      #expect(abs(Double(sum) / 2_000 - expected) < 0.2)
    }
  }
}
