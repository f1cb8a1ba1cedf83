// SPDX-License-Identifier: Apache-2.0

import Curation
import Crypto
import Foundation
import PhoneNumbers
import Testing

@testable import Importing

@Suite struct ComplaintSimulatorTests {
  private static let end = Date(timeIntervalSince1970: 1_790_000_000)

  private func simulator(
    seed: UInt64 = 42, complaints: Int = 20_000, numbers: Int = 1_000, countries: [String] = ["US", "GB", "DE", "FR"]
  ) throws -> ComplaintSimulator {
    try ComplaintSimulator(
      seed: seed, complaints: complaints, numbers: numbers, reporters: 500, countries: countries, endingAt: Self.end,
      days: 60)
  }

  /// Pinned for the numbering plans of 9.0.43: another version may consider other numbers valid.
  @Test func `the same arguments give the same bytes`() throws {
    func digest() throws -> String {
      var hash = SHA256()
      for line in try simulator() { hash.update(data: line) }
      return hash.finalize().prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
    }
    let first = try digest()
    #expect(try digest() == first)
    #expect(first == "a6 cd ec b6 91 9b 36 a8")
    let line = try #require(Array(try simulator(complaints: 2)).first)
    let expected =
      #"{"number":"+4915777672452","region":"DE","category":"telemarketing","reporter":"sim-c0d08cfc911eaf60","#
      + #""report_id":"c1633e9d-f1f0-86a6-9750-713c67a9dc87","reported_at":"2026-08-14T03:42:21Z"}"#
    #expect(String(decoding: line, as: UTF8.self) == expected + "\n")
    #expect(Array(try simulator(seed: 43)) != Array(try simulator()))
  }

  @Test func `every simulated line is imported`() async throws {
    let scratch = try Scratch()
    let simulator = try simulator()
    let path = try scratch.file(simulator.joined())
    let sink = MemorySink()
    var options = ImportOptions(path: path, format: .jsonLines)
    options.now = Self.end
    let summary = try await ImportPipeline(options: options).run { await sink.take($0) }
    #expect(summary.rejected == [:])
    #expect(summary.inserted == 20_000)
    let rows = await sink.rows
    let seconds = rows.map(\.reportedAt)
    #expect(seconds == seconds.sorted())
    #expect(seconds.allSatisfy { $0 < Self.end && $0 >= Self.end - 60 * 86_400 })
    let counts = Dictionary(grouping: rows, by: \.number).mapValues(\.count)
    let sorted = counts.values.sorted(by: >)
    // Zipf: 1 % of the numbers has more than a quarter of the complaints, and most have some.
    #expect(sorted.prefix(10).reduce(0, +) > 5_000)
    #expect(counts.count > 800)
    let legitimate = rows.count { $0.category == .legitimate }
    #expect((400...3_000).contains(legitimate))
    #expect((1_000...2_400).contains(rows.count { $0.comment != nil }))
    #expect(Set(rows.compactMap(\.reporter)).count > 400)
    // Ranges: some blocks of 1,000 have several callers.
    let blocks = Dictionary(grouping: counts.keys) { $0 / 1_000 }
    #expect(blocks.values.count { $0.count >= 3 } > 20)
  }

  @Test(arguments: ComplaintSimulator.countries) func `every country has valid numbers`(country: String) throws {
    let simulator = try simulator(complaints: 0, numbers: 300, countries: [country.lowercased()])
    #expect(simulator.numbers.count == 300)
    for number in simulator.numbers {
      #expect(try PhoneNumber(parsing: "+\(number.digits)", region: nil).digits == number.digits)
      #expect(PhoneNumber(digits: number.digits)?.region == country)
    }
    #expect(Set(simulator.numbers.map(\.digits)).count == 300)
  }

  @Test func `fictional numbers belong to nobody and to no case or example`() throws {
    let simulator = try ComplaintSimulator(
      seed: 1, complaints: 0, numbers: 4_000, reporters: 1, isFictional: true, endingAt: Self.end, days: 90)
    #expect(Set(simulator.numbers.map(\.digits)).count == 4_000)
    for number in simulator.numbers {
      let digits = String(number.digits)
      #expect(digits.wholeMatch(of: #/1[2-9]\d\d55501\d\d/#) != nil)
      #expect(PhoneNumber(digits: number.digits)?.isValid == true)
      #expect(!["201", "202", "212", "213", "303", "404", "505"].contains(String(digits.dropFirst().prefix(3))))
    }
  }

  @Test func `campaigns rise and fade`() throws {
    let simulator = try simulator()
    let campaigns = simulator.numbers.indices.filter { !simulator.numbers[$0].isLegitimate }
    var early = 0
    var total = 0
    for event in simulator.events {
      let index = Int(event & 0xFFFF_FFFF)
      guard campaigns.contains(index) else { continue }
      let number = simulator.numbers[index]
      #expect(Int(event >> 32) >= number.start)
      total += 1
      if Int(event >> 32) < number.start + 2 * number.halfLife { early += 1 }
    }
    #expect(early * 100 > total * 65)
  }

  @Test func `invalid simulator arguments are refused`() {
    #expect(throws: ComplaintSimulator.Failure.unknownCountry("XX")) { try simulator(countries: ["XX"]) }
    #expect(throws: ComplaintSimulator.Failure.self) { try simulator(countries: []) }
    #expect(throws: ComplaintSimulator.Failure.self) { try simulator(numbers: 0) }
    #expect(throws: ComplaintSimulator.Failure.self) { try simulator(complaints: -1) }
  }
}
