// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers
import Storage
import TestSupport
import Testing

@testable import Importing

@Suite struct RegionFileTests {
  @Test func `the sample has each area code in exactly one region`() throws {
    let regions = try RegionFile.read(contentsOf: "\(Checkout.resources)/regions-us.tsv")
    #expect(regions.count >= 108)
    let prefixes = regions.flatMap(\.prefixes)
    #expect(prefixes.count == Set(prefixes).count)
    #expect(prefixes.allSatisfy { (1_201...1_989).contains($0) })
    let map = try RegionMap.countries(
      overlaidBy: regions.flatMap { region in region.prefixes.map { ($0, region.code) } })
    for region in regions {
      for prefix in region.prefixes {
        let number = prefix * 10_000_000 + 2_345_678
        #expect(map.region(of: number) == region.code)
        // The plans may be older than the area code; they never assign it to another country.
        #expect([nil, "US"].contains(PhoneNumber(digits: number)?.region), "\(prefix)")
      }
    }
    #expect(map.region(of: 18_005_550_123) == "US")
    #expect(map.region(of: 14_165_550_123) == "CA")
  }

  @Test(arguments: [
    ("us-1 1212\n", 1, "expected a region"), ("a\t1212\nb\t1212\n", 2, "is a's already"),
    ("a\t0\n", 1, "1 to 15 digits"),
    ("# c\n\nFR\t33\n", 3, "is a country already"), ("a\t1\nA\t2\n", 2, "differ only in case"),
    ("a b\t1\n", 1, "1 to 23"), ("a..b\t1\n", 1, "no two dots"),
    ("# nothing\n", 1, "no regions"),
  ])
  func `a malformed region file is refused with the line and reason`(text: String, line: Int, reason: String) throws {
    let scratch = try Scratch()
    let path = try scratch.file(text)
    let error = #expect(throws: ImportFileError.self) { try RegionFile.read(contentsOf: path) }
    #expect(error?.description.contains("line \(line): ") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}
