// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers
import Testing

/// Tests every row of the example numbers. Differences from another version may be listed here.
@Suite(.enabled(if: SharedData.has(ExampleNumber.path)))
struct ExampleNumberTests {
  /// Ranges opened since: valid in the row, refused by the plans.
  static let openedSince: Set<String> = []
  /// Ranges closed since: invalid in the row, valid in the plans.
  static let closedSince: Set<String> = []
  /// Ranges assigned to another region since.
  static let movedSince: Set<String> = []
  /// Regions whose format has changed since.
  static let writtenOtherwiseSince: Set<String> = []

  @Test func `every example parses in its national and international format`() throws {
    let rows = try ExampleNumber.rows()
    #expect(rows.count == 1_383)
    var differing: Set<String> = []
    for row in rows {
      let international = reading(row.international, nil)
      if row.region != "001" {
        let national = reading(row.national, row.region)
        if row.isValid { #expect(national == international, "\(row.name)") }
        if !row.isValid, (try? national.get()) != nil { #expect(Self.closedSince.contains(row.name)) }
      }
      switch international {
      case .success(let number) where row.isValid:
        #expect(number.digits == row.digits, "\(row.name)")
        #expect(row.fits(number.kind), "\(row.name): \(number.kind)")
        if (number.region ?? "001") != row.regionOfNumber {
          differing.insert(row.name)
          #expect(Self.movedSince.contains(row.name), "\(row.name): \(number.region ?? "none")")
        }
      case .success:
        differing.insert(row.name)
        #expect(Self.closedSince.contains(row.name), "\(row.name)")
      case .failure(let error) where row.isValid:
        differing.insert(row.name)
        #expect(Self.openedSince.contains(row.name), "\(row.name): \(error.code)")
      case .failure(let error):
        #expect(["too_short", "too_long", "not_valid", "short_or_emergency"].contains(error.code), "\(row.name)")
      }
    }
    print("examples: \(rows.count - differing.count) of \(rows.count) rows agree; \(differing.sorted())")
  }

  @Test func `every example is formatted from its digits`() throws {
    var otherwise: Set<String> = []
    for row in try ExampleNumber.rows() {
      let number = try #require(PhoneNumber(digits: row.digits))
      #expect(number.e164 == "+\(row.digits)")
      // The rows have the digits of numbers without a region.
      let national = row.region == "001" ? row.national : number.formatted(.national)
      // The digit groups of an invalid number do not matter.
      if row.isValid, number.formatted(.international) != row.international || national != row.national {
        otherwise.insert(row.region)
      }
      let digits = number.formatted(.international).filter(\.isNumber)
      #expect(digits == String(row.digits), "\(row.name): no digit may be lost or gained")
    }
    print("examples: numbers of \(otherwise.count) regions are written otherwise: \(otherwise.sorted())")
    #expect(otherwise.isSubset(of: Self.writtenOtherwiseSince))
  }
}
