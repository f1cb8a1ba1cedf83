// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import Foundation
import TestData
import Testing

/// Three lists on one phone: fixtures, and the real ones, thinned out.
@Suite struct RealListTests {
  private struct Lists {
    let directory, toxic, block: String
    /// The distance of the lines that are used.
    let step: Int
    let toxicStep: Int
    /// The operations of a page, so few that the second publication needs several.
    let page: Int
    let least: Int
  }

  private static func text(_ path: String) throws -> String {
    guard path.hasSuffix(".xz") else { return try String(contentsOfFile: path, encoding: .utf8) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["xz", "-dc", path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return text
  }

  /// Every `step`th line of a list, from line `offset` on.
  private static func sample(_ path: String, step: Int, offset: Int = 0, isToxic: Bool = false) throws -> Callers {
    var callers: Callers = [:]
    for (index, line) in try text(path).utf8.split(separator: UInt8(ascii: "\n")).enumerated()
    where index % step == offset {
      let columns = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1).map { String($0) ?? "" }
      let label = columns.count > 1 ? columns[1] : nil
      callers[try #require(Int64(columns[0]))] = Caller(blocks: label == nil || isToxic, label: label)
    }
    return callers
  }

  private func expectOnePhoneHolds(_ lists: Lists) throws {
    let phone = try PhoneFixture()
    try phone.publish(Self.sample(lists.directory, step: lists.step), at: 0)
    try phone.publish(Self.sample(lists.toxic, step: lists.toxicStep, isToxic: true), at: 1)
    try phone.publish(Self.sample(lists.block, step: lists.step), at: 2)
    #expect(phone.expected.count > lists.least)
    #expect(try phone.reload().isClean && phone.held == phone.expected)
    // The next publication: other lines of one list, unchanged others, and a page that is too small for it.
    phone.pageOperations = lists.page
    try phone.publish(Self.sample(lists.toxic, step: lists.toxicStep, offset: 1, isToxic: true), at: 1)
    var requests = 0
    repeat {
      #expect(try phone.reload().isClean)
      requests += 1
    } while !phone.loader().isComplete()
    #expect(phone.held == phone.expected && requests > 2)
  }

  @Test func `three fixture lists load on one phone`() throws {
    let file = { (name: String) in Checkout.fixture("packs/\(name)") }
    try expectOnePhoneHolds(
      Lists(
        directory: file("directory.tsv"), toxic: file("toxic.tsv"), block: file("block.txt"), step: 1, toxicStep: 2,
        page: 200, least: 3_000))
  }

  @Test(.sharedData("data/packs")) func `three full-size lists load on one phone`() throws {
    let file = { (name: String) in try #require(Checkout.shared("data/packs/\(name)")) }
    try expectOnePhoneHolds(
      Lists(
        directory: file("directory-2m.tsv.xz"), toxic: file("toxic-100k.tsv.xz"), block: file("block-2m.txt.xz"),
        step: 400, toxicStep: 20, page: 4_000, least: 12_000))
  }
}
