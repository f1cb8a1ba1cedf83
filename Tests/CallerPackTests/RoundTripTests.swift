// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Testing

@Suite struct RoundTripTests {
  /// Checks the properties that hold for any entries; returns the message of the first failure.
  private static func broken(_ list: [PackEntry], _ options: PackWriter.Options) -> String? {
    do {
      let bytes = try packBytes(list, options)
      let reader = try PackReader(bytes: bytes)
      try reader.verify()
      guard try entries(reader) == list else { return "the entries differ" }
      guard try packBytes(list, options) == bytes else { return "the bytes differ the second time" }
      let cursor = try reader.makeCursor()
      for entry in list.reversed() {
        guard try cursor.lookup(entry.number) == entry else { return "lookup of \(entry.number)" }
        guard try cursor.lookup(entry.number + 1)?.number ?? entry.number + 1 == entry.number + 1 else { return "+1" }
      }
      for index in list.indices.dropLast() {
        let middle = list[index].number + 1
        try cursor.seek(middle)
        guard try cursor.next(), cursor.entry == list[index + 1] else { return "seek to \(middle)" }
        guard cursor.rank == index + 1 else { return "rank of \(middle)" }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Removes entries that the failure does not need, so that it can be read.
  private static func shrink(_ list: [PackEntry], _ options: PackWriter.Options) -> [PackEntry] {
    var list = list, piece = max(list.count / 2, 1)
    while true {
      var from = 0
      while from < list.count {
        var smaller = list
        smaller.removeSubrange(from..<min(from + piece, list.count))
        if broken(smaller, options) != nil { list = smaller } else { from += piece }
      }
      guard piece > 1 else { return list }
      piece /= 2
    }
  }

  @Test(arguments: PackKind.allCases, PackProfile.allCases)
  func `random lists survive a round trip`(kind: PackKind, profile: PackProfile) {
    for seed in 0..<12 as Range<UInt64> {
      var random = Seeded(seed &* 31 &+ UInt64(kind.rawValue))
      let list = randomEntries(kind, count: [0, 1, 2, 3, 5, 17, 100, 300][Int(seed) % 8], &random)
      let options = PackWriter.Options(kind: kind, region: "US-\(seed)", serial: seed, createdAt: -5, profile: profile)
      guard let message = Self.broken(list, options) else { continue }
      let small = Self.shrink(list, options)
      Issue.record("seed \(seed): \(message); shrunk: \(small): \(Self.broken(small, options) ?? "")")
    }
  }

  @Test func `a list of many blocks survives a round trip`() throws {
    var random = Seeded(5)
    let list = randomEntries(.both, count: 9000, &random)
    let reader = try PackReader(bytes: packBytes(list, .init(kind: .both, profile: .lean)))
    #expect(reader.header.blockCount == 3)
    try reader.verify()
    #expect(try entries(reader) == list)
    for _ in 0..<20 {
      let entry = list.randomElement(using: &random)!
      #expect(try reader.lookup(entry.number) == entry)
    }
    #expect(try reader.lookup(0) == nil)
    #expect(try reader.lookup(.max) == nil)
    #expect(try reader.lookup(.min) == nil)
  }

  @Test func `the smallest and greatest numbers and the longest labels survive a round trip`() throws {
    let list = [PackEntry(number: 1), PackEntry(number: 2), PackEntry(number: PackLimits.maxNumber)]
    let reader = try PackReader(bytes: packBytes(list, .init(kind: .blocking)))
    try reader.verify()
    #expect(try entries(reader) == list)
    let long = String(repeating: "ä", count: 32_767)
    let labelled = [
      PackEntry(number: 5, label: long), PackEntry(number: 6, label: "b"), PackEntry(number: 9, label: long),
    ]
    let other = try PackReader(bytes: packBytes(labelled, .init(kind: .identification)))
    try other.verify()
    #expect(other.header.maximumLabelBytes == PackLimits.labelBytes)
    #expect(try entries(other) == labelled)
  }

  @Test func `long labels make blocks smaller`() throws {
    var random = Seeded(9)
    let list = (1...40).map { index in
      PackEntry(
        number: Int64(index),
        label: String((0..<20_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random))) }))
    }
    let reader = try PackReader(bytes: packBytes(list, .init(kind: .identification, profile: .lean)))
    try reader.verify()
    #expect(reader.header.blockEntries < 40)
    #expect(reader.header.readerBytes <= 400_000)
    #expect(try entries(reader) == list)
  }
}
