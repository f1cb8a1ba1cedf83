// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestData
import Testing

@testable import PhoneNumbers

@Suite(.serialized) struct NumberingPlansTests {
  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../Resources/NumberingPlans/plans.txt")

  private func failure(_ bytes: some Collection<UInt8>) -> NumberingPlans.Failure? {
    do throws(NumberingPlans.Failure) {
      _ = try NumberingPlans(bytes: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the file is the built-in plans`() throws {
    let plans = try NumberingPlans(bytes: Data(contentsOf: Self.file))
    #expect(plans.version == NumberingPlans.builtIn.version && plans.date == NumberingPlans.builtIn.date)
    #expect(try Data(contentsOf: Self.file) == Data(builtInPlans.description.utf8))
  }

  @Test func `versions are compared by their parts`() throws {
    let versions = try ["8.13", "9.0.9", "9.0.43", "9.0.100", "10"].map { try #require(NumberingPlans.Version($0)) }
    #expect(versions == versions.shuffled().sorted())
    for bad in ["", "9.", "9.a", "1.2.3.4.5", "-1", "9999999999"] { #expect(NumberingPlans.Version(bad) == nil) }
  }

  @Test func `a bad file has its own error`() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let bytes = Array(text.utf8)
    #expect(failure(bytes[..<(bytes.count / 2)]) == .cut)
    #expect(failure(bytes.dropLast()) == .cut)
    #expect(failure([]) == .otherForm)
    #expect(failure(Array("{}".utf8)) == .otherForm)
    #expect(failure(text.replacing("numbering-plans 1 ", with: "numbering-plans 2 ").utf8) == .otherForm)
    #expect(failure(repeatElement(0x20, count: NumberingPlans.maxBytes + 1)) == .tooLarge)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func changed(_ line: Int, _ other: String) -> NumberingPlans.Failure? {
      let former = lines[line - 1]
      defer { lines[line - 1] = former }
      lines[line - 1] = other
      return failure(lines.joined(separator: "\n").utf8)
    }
    #expect(changed(3, String(repeating: "1", count: 1_000_000)) == .patternTooLong(line: 3))
    #expect(changed(3, "(?:(?:d{20}){20}){20}") == .patternTooLong(line: 3))
    #expect(changed(3, String(repeating: "(?:", count: 1_000)) == .badPattern(line: 3))
    for bad in ["[2-", "[]", "(1", "1)", "a", "1{3,2}", "?", "[3-1]", "1{", "(?1)", "é"] {
      #expect(changed(3, bad) == .badPattern(line: 3), "\(bad)")
    }
    let region = try #require(lines.firstIndex { $0.hasPrefix("r US ") }) + 1
    for bad in [
      "r US", "r us l=10", "r US l=99", "r US l=10 g=999999", "r US l=10 q=1", "r US l=10 r=$1", "x", "c 1", "",
    ] {
      #expect(changed(region, bad) == .badLine(region), "\(bad)")
    }
    let format = try #require(lines.firstIndex { $0.hasPrefix("f ") }) + 1
    for bad in ["f n 3 -", "f z 3 -\t$1", "f n 3 -\t$2", "f n 3,x -\t$1", "f n 30 -\t$1", "f n 3 -\t$"] {
      #expect(changed(format, bad) == .badLine(format), "\(bad)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func `a file with random changes is read or refused`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = try [UInt8](Data(contentsOf: Self.file))
    for _ in 0..<3 {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] = Array("0123456789d?|()[]{}$,:=- \n".utf8).randomElement(using: &random) ?? 0
    }
    _ = failure(bytes)
  }

  @Test func `other plans can be set at run time`() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let newer = try NumberingPlans(bytes: text.replacing(" 9.0.43 ", with: " 9.0.44 ").utf8)
    #expect(newer.version > NumberingPlans.builtIn.version)
    NumberingPlans.current = newer
    defer { NumberingPlans.current = .builtIn }
    #expect(NumberingPlans.current.version == newer.version)
    #expect(try PhoneNumber(parsing: "212 555 0123", region: "US").digits == 12_125_550_123)
  }
}
