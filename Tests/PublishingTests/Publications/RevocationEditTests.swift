// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Curation
import Foundation
import Storage
import TestSupport
import Testing

@testable import Publishing

/// Compares packs that revocations have changed with a dictionary that the same revocations change.
@Suite struct RevocationEditTests {
  private let first: Int64 = 33_199_000_000

  private func write(_ entries: [Int64: String], _ kind: PackKind, to path: String) throws -> PackReader {
    let writer = try PackWriter(path: path, options: .init(kind: kind, serial: 1))
    for (number, label) in entries.sorted(by: { $0.key < $1.key }) {
      if kind == .blocking { try writer.append(number) } else { try writer.append(number, label: label) }
    }
    _ = try writer.finish()
    return try PackReader.open(path: path)
  }

  private func entries(_ reader: PackReader) throws -> [Int64: String] {
    let cursor = try reader.makeCursor()
    var entries: [Int64: String] = [:]
    while try cursor.next() { entries[cursor.number] = cursor.label ?? "" }
    return entries
  }

  @Test(arguments: 0..<60) func `revocations change a pack as they change a dictionary`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let isBlocking = seed % 3 == 0
    func label(_ random: inout SeededGenerator) -> String {
      isBlocking ? "" : ["A", "B"].randomElement(using: &random) ?? "A"
    }
    // Runs of numbers, which are ranges of the pack, and single ones.
    var base: [Int64: String] = [:]
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let (start, name) = (first + Int64.random(in: 0...60, using: &random), label(&random))
      for number in start...start + Int64.random(in: 0...9, using: &random) { base[number] = name }
    }
    let revocations = (0..<Int.random(in: 1...20, using: &random)).map { _ in
      let actions: [Revocation.Action] = [.remove, .unlist, .add(.fraud, label: isBlocking ? nil : "C")]
      return Revocation(
        number: first - 2 + Int64.random(in: 0...75, using: &random),
        action: actions.randomElement(using: &random) ?? .remove, reason: "x", requestedBy: "Ada",
        requestedAt: Date(timeIntervalSince1970: 0))
    }
    let protected = Set((0..<Int(seed % 4)).map { _ in first + Int64.random(in: 0...60, using: &random) })
    let recipe = Recipe(
      name: "toxic", kind: isBlocking ? .blocking : .identification,
      limit: base.count + Int.random(in: 0...4, using: &random))

    // By ascending number, as a pack is copied.
    let last = Dictionary(revocations.map { ($0.number, $0.action) }) { $1 }
    var (expected, room) = (base, recipe.limit - base.count)
    for number in Set(base.keys).union(last.keys).sorted() {
      switch (last[number], base[number] != nil) {
      case (_, true) where protected.contains(number): expected[number] = nil
      case (.add(_, let label), true): expected[number] = label ?? ""
      case (.remove, true), (.unlist, true): expected[number] = nil
      case (.add(_, let label), false) where room > 0: (expected[number], room) = (label ?? "", room - 1)
      default: break
      }
      if base[number] != nil, expected[number] == nil { room += 1 }
    }
    let (wanted, protection) = (expected, ProtectionLookup { protected.contains($0) ? "A bank" : nil })
    try await withTemporaryFolder { path in
      let edits = RevocationEdits(revocations, recipes: [recipe], protection: protection)
      let reader = try write(base, recipe.packKind, to: "\(path)/base")
      let writer = try PackWriter(path: "\(path)/made", options: .init(kind: recipe.packKind, serial: 2))
      try edits.apply(to: reader, PackSpec(name: "toxic", recipe: recipe, region: nil, shard: nil), writer)
      _ = try writer.finish()
      #expect(try entries(PackReader.open(path: "\(path)/made")) == wanted)
      #expect(edits.dropped == protected.intersection(base.keys))
    }
  }

  @Test func `packs of a country and its parts may contain its numbers`() {
    func mayContain(_ region: String?, _ country: String?) -> Bool {
      ManifestPack(
        name: "a", kind: "both", region: region, serial: 1, entries: 1, first: 5, last: 9, bytes: 1, sha256: "",
        contentSHA256: "", path: ""
      ).mayContainNumbers(of: country)
    }
    for (region, country, expected) in [
      (nil, "US", true), ("US", "US", true), ("us", "US", true), ("DE", "US", false), ("US-212", "US", true),
      ("paris", "US", true), ("DE", nil, true), (nil, nil, true),
    ] as [(String?, String?, Bool)] {
      #expect(mayContain(region, country) == expected, "\(region ?? "-") \(country ?? "-")")
    }
  }
}
