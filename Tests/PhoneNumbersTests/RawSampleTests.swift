// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

@Suite(.enabled(if: SharedData.has(RawSample.path)))
struct RawSampleTests {
  @Test func `results agree with the reference results`() throws {
    let rows = try RawSample.rows()
    var reasons: [String: Int] = [:]
    var differences: [RawSample.Difference: [String]] = [:]
    for row in rows {
      let ours = reading(row.raw, "US")
      if case .failure(let error) = ours { reasons["\(row.validity) → \(error.code)", default: 0] += 1 }
      if let difference = row.difference(from: ours) { differences[difference, default: []].append(row.raw) }
    }
    let differing = differences.values.reduce(0) { $0 + $1.count }
    print("raw sample: \(rows.count - differing) of \(rows.count) rows agree")
    for (difference, texts) in differences { print("  \(difference): \(texts.count): \(texts.joined(separator: " "))") }
    for (reason, count) in reasons.sorted(by: { $0.value > $1.value }) { print("  \(reason): \(count)") }
    #expect(rows.count > 15_000)
    #expect(Double(differing) <= 0.005 * Double(rows.count))
    // Only the versions of the numbering plans may cause differences.
    #expect(differences.keys.allSatisfy { [.openedSince, .closedSince, .incomplete].contains($0) })
  }

  @Test func `refusals have the reason of the reference results`() throws {
    for row in try RawSample.rows() {
      guard case .failure(let error) = reading(row.raw, "US"), error.mask == nil, error != .placeholder else {
        continue
      }
      switch row.validity {
      case "unparsed": #expect([.notANumber, .tooLong].contains(error), "\(row.raw)")
      // Impossible: no number of the region has this length. Some of these are short codes.
      case "impossible": #expect([.tooShort, .tooLong, .shortOrEmergency(region: "US")].contains(error), "\(row.raw)")
      // Possible: a correct length but not in the plan, or local without its area code.
      case "possible": #expect(["too_short", "not_valid"].contains(error.code), "\(row.raw)")
      default: #expect(error.code == "not_valid", "\(row.raw)")
      }
    }
  }

  @Test func `every number parses again from its digits`() throws {
    for row in try RawSample.rows() {
      guard case .success(let number) = reading(row.raw, "US") else { continue }
      #expect(reading(number.e164, nil) == .success(number))
      #expect(reading(number.formatted(.international), nil) == .success(number))
      #expect(number.isValid)
    }
  }
}
