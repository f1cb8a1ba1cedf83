// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import TestData
import Testing

/// Packs that are written and read by ranges of adjacent numbers.
@Suite struct RangeTests {
  /// Ascending ranges with gaps, some of them longer than a block.
  private func ranges(_ random: inout SeededGenerator) -> [ClosedRange<Int64>] {
    var next: Int64 = 33_199_000_000
    return (0..<Int.random(in: 1...30, using: &random)).map { _ in
      next += Int64.random(in: 2...5_000, using: &random)
      let first = next
      next += [0, 1, 99, 9_999, 20_000].randomElement(using: &random) ?? 0
      return first...next
    }
  }

  private func write(_ ranges: [ClosedRange<Int64>], _ path: String, byRange: Bool = true) throws -> PackSummary {
    let writer = try PackWriter(path: path, options: .init(kind: .blocking, serial: 1))
    for range in ranges {
      if byRange { try writer.append(range) } else { for number in range { try writer.append(number) } }
    }
    return try writer.finish()
  }

  @Test func `ranges give the bytes of their numbers, are read back, and have deltas`() async throws {
    var random = SeededGenerator(seed: 9)
    try await withTemporaryFolder { folder in
      for _ in 0..<10 {
        let (old, new) = (ranges(&random), ranges(&random))
        let summary = try write(old, "\(folder)/old")
        #expect(try write(old, "\(folder)/single", byRange: false) == summary)
        _ = try write(new, "\(folder)/new")
        let (base, result) = (try PackReader.open(path: "\(folder)/old"), try PackReader.open(path: "\(folder)/new"))
        try base.verify()
        var found: [ClosedRange<Int64>] = []
        try base.forEachRange { numbers, roles, label in
          #expect(roles == .blocks && label.isEmpty)
          found.append(numbers)
        }
        #expect(found == old)
        // It is applied once and compared.
        try DeltaBuilder.build(from: base, to: result, out: "\(folder)/delta")
      }
    }
  }

  @Test func `adjacent numbers with other labels are other ranges`() async throws {
    try await withTemporaryFolder { folder in
      let writer = try PackWriter(path: "\(folder)/pack", options: .init(kind: .identification, serial: 1))
      try Array("Sales".utf8).withUnsafeBytes { try writer.append(10...19, roles: .identifies, labelUTF8: $0) }
      try writer.append(20, label: "Fraud")
      try Array("Sales".utf8).withUnsafeBytes { try writer.append(21...30, roles: .identifies, labelUTF8: $0) }
      try writer.finish()
      var found: [String] = []
      try PackReader.open(path: "\(folder)/pack").forEachRange { numbers, _, label in
        found.append("\(numbers.lowerBound)-\(numbers.upperBound) \(String(decoding: label, as: UTF8.self))")
      }
      #expect(found == ["10-19 Sales", "20-20 Fraud", "21-30 Sales"])
    }
  }

  @Test func `a range that breaks a rule is refused as a whole`() async throws {
    try await withTemporaryFolder { folder in
      let writer = try PackWriter(
        path: "\(folder)/pack", options: .init(kind: .blocking, serial: 1, maximumEntries: 100))
      try writer.append(10...59)
      for range in [59...60, 1...5, 100...200, 999_999_999_999_990...1_000_000_000_000_000] as [ClosedRange<Int64>] {
        #expect(throws: PackError.self) { try writer.append(range) }
      }
      try writer.append(60...109)
      #expect(try writer.finish().entries == 100)
    }
  }
}
