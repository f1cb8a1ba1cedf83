// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

@Suite struct ConcurrencyTests {
  @Test(.enabled(if: SharedData.has(RawSample.path)))
  func `several tasks can parse in parallel`() async throws {
    let texts = try RawSample.rows().enumerated().filter { $0.offset % 8 == 0 }.map(\.element.raw)
    let alone = texts.map { reading($0, "US") }
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          // Each task starts at another index, so that the tasks do not run in step.
          let order = texts.indices.map { ($0 + task * texts.count / 8) % texts.count }
          return order.allSatisfy { index in
            let ours = reading(texts[index], "US")
            if case .success(let number) = ours, number.region == nil || number.formatted(.national).isEmpty {
              return false
            }
            return ours == alone[index]
          }
        }
      }
      for await agrees in group { #expect(agrees) }
    }
  }

  @Test func `all regions can be used in parallel`() async {
    let texts = ["0199000248", "112", "6502530000", "+390669812345", "12345"]
    await withTaskGroup(of: [Reading].self) { group in
      for _ in 0..<4 {
        group.addTask { PhoneRegion.all.flatMap { region in texts.map { reading($0, region.code) } } }
      }
      var first: [Reading]?
      for await readings in group {
        #expect(readings == first ?? readings)
        first = readings
      }
    }
  }
}
