// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import TestData
import Testing

/// Fixtures and real lists: complete where they are short, samples where a debug build would take minutes.
@Suite struct ListTests {
  private static func lines(_ path: String, _ count: Int) throws -> [Substring] {
    let tool = path.hasSuffix(".xz") ? "xz -dc" : "cat"
    let (output, _) = try run("/bin/sh", ["-c", "\(tool) \"$0\" | head -n \(count)", path])
    return output.split(whereSeparator: \.isNewline)
  }

  private static func entry(_ line: Substring) -> PackEntry? {
    let parts = line.split(separator: "\t", maxSplits: 1)
    guard let first = parts.first, let number = Int64(first) else { return nil }
    return PackEntry(number: number, label: parts.count > 1 ? String(parts[1]) : nil)
  }

  /// Packs a list and compares its size.
  /// - Parameter most: the most bytes per entry.
  private func expectPack(of path: String, kind: PackKind, count: Int, most: Double) throws {
    let list = try Self.lines(path, count).compactMap(Self.entry)
    #expect(list.count == count)
    let bytes = try packBytes(list, .init(kind: kind))
    let reader = try PackReader(bytes: bytes)
    try reader.verify()
    #expect(try entries(reader) == list)
    #expect(Double(bytes.count) / Double(count) < most)
  }

  @Test(arguments: [
    ("packs/block.txt", PackKind.blocking, 3_000, 2.0),
    ("packs/toxic.tsv", .identification, 600, 4.0),
    ("packs/directory.tsv", .identification, 600, 10.0),
  ])
  func `a pack of a fixture list stays below its size limit`(name: String, kind: PackKind, count: Int, most: Double)
    throws
  {
    try expectPack(of: Checkout.fixture(name), kind: kind, count: count, most: most)
  }

  @Test(
    .sharedData("data/packs"),
    arguments: [
      ("packs/block-2m.txt.xz", PackKind.blocking, 40_000, 2.0),
      ("packs/toxic-100k.tsv.xz", .identification, 10_000, 2.6),
      ("packs/directory-2m.tsv.xz", .identification, 3_000, 30),
    ])
  func `a pack of a full-size list stays below its size limit`(name: String, kind: PackKind, count: Int, most: Double)
    throws
  {
    try expectPack(of: try #require(Checkout.shared("data/\(name)")), kind: kind, count: count, most: most)
  }

  /// Packs two states of a rolling list, cut to a length for a debug build, and applies the delta between them.
  private func expectDelta(between paths: [String]) throws {
    var readers: [PackReader] = []
    for path in paths {
      let numbers = Set(
        try Self.lines(path, 1_000_000).compactMap { Int64($0) }.filter { $0 >= 2_000_000_000 && $0 < 2_300_000_000 })
      let list = numbers.sorted().map { PackEntry(number: 10_000_000_000 + $0) }
      readers.append(try PackReader(bytes: packBytes(list, .init(kind: .blocking, serial: UInt64(readers.count)))))
    }
    let folder = try Folder()
    let summary = try DeltaBuilder.build(from: readers[0], to: readers[1], out: folder.file("d"))
    let delta = try PackDelta.open(path: folder.file("d"))
    #expect(delta.header.addedCount > 100)
    #expect(summary.bytes < readers[1].header.fileBytes)
    try delta.apply(base: readers[0], to: folder.file("b"))
    #expect(try PackReader.open(path: folder.file("b")).digest() == readers[1].digest())
    #expect(try DeltaTests.played(entries(readers[0]), delta.makeChanges(base: readers[0])) == entries(readers[1]))
  }

  @Test func `a delta between the rolling fixtures applies`() throws {
    try expectDelta(between: [1, 2].map { Checkout.fixture("complaints/rolling-\($0).csv") })
  }

  /// Two states that are 23 days apart.
  @Test(.sharedData("data/complaints")) func `a delta between the rolling lists applies`() throws {
    try expectDelta(
      between: ["2025-10-28", "2025-11-20"].map {
        try #require(Checkout.shared("data/complaints/ftc-rolling-\($0).csv.xz"))
      })
  }
}
