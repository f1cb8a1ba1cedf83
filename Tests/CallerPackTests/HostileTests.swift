// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import Testing

/// Files with valid checksums and invalid content.
@Suite struct HostileTests {
  /// RINGFENCE_FUZZ multiplies the rounds of the mutators.
  private let more = ProcessInfo.processInfo.environment["RINGFENCE_FUZZ"].flatMap { Int($0) } ?? 1

  /// Corrects every checksum of a pack, as far as its parts can be found.
  static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard bytes.count >= 128 else { return bytes }
    func u32(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    func put(_ value: UInt32, _ at: Int) {
      for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }
    put(UInt32(bytes.count), 120)
    let blocks = u32(52), stored = u32(56), index = bytes.count - 16 * blocks
    if index >= 128, 128 + stored <= index {
      for block in 0..<blocks {
        let from = u32(index + 16 * block + 8), to = block + 1 < blocks ? u32(index + 16 * block + 24) : index
        if from <= to, to <= bytes.count { put(checksum(Array(bytes[from..<to])), index + 16 * block + 12) }
      }
      put(checksum(Array(bytes[index...])), 76)
      put(checksum(Array(bytes[128..<128 + stored])), 112)
    }
    put(checksum(Array(bytes[..<124])), 124)
    return bytes
  }

  @Test(arguments: PackKind.allCases) func `every changed header field is harmless or refused`(kind: PackKind) throws {
    let good = try DamageTests.small(kind)
    let whole = try entries(PackReader(bytes: good)).count
    for at in 8..<124 {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = good
        bytes[at] = value
        // A pack with the same number of entries is harmless; anything else must give an error and never crash.
        do { #expect(try DamageTests.readAll(Self.repaired(bytes)) == whole) } catch is PackError {}
      }
    }
  }

  /// Without a dictionary, its checksum must be the checksum of no bytes.
  @Test func `a dictionary checksum without a dictionary is refused`() throws {
    var bytes = try DamageTests.small(.blocking)
    bytes[112] = 1
    let sum = checksum(Array(bytes[..<124]))
    bytes.replaceSubrange(124..<128, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) })
    let hostile = bytes
    let error = #expect(throws: PackError.self) { try PackReader(bytes: hostile) }
    #expect(error?.code == .malformed)
  }

  @Test func `a header that declares huge sizes is refused`() throws {
    let good = try DamageTests.small(.identification)
    for at in stride(from: 40, to: 76, by: 4) {
      var bytes = good
      for index in 0..<4 { bytes[at + index] = 0xFF }
      let hostile = bytes
      #expect(throws: PackError.self, "field at \(at)") { try DamageTests.readAll(Self.repaired(hostile)) }
    }
  }

  /// A seeded mutator changes bytes, runs and copies, corrects the checksums, and reads everything.
  @Test(arguments: PackKind.allCases) func `a randomly mutated pack is refused or readable`(kind: PackKind) throws {
    var random = Seeded(UInt64(kind.rawValue))
    let good = try DamageTests.small(kind)
    var refused = 0
    let turns = 2500 * more
    for _ in 0..<turns {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 8..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes[at] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        default:
          let from = Int.random(in: 8..<bytes.count, using: &random)
          let count = min(8, bytes.count - max(at, from))
          bytes.replaceSubrange(at..<at + count, with: Array(bytes[from..<from + count]))
        }
      }
      do { try DamageTests.readAll(Self.repaired(bytes)) } catch is PackError { refused += 1 }
    }
    #expect(refused > turns / 2)
  }

  /// The same for deltas. Only the delta's own checksums are corrected; the result's SHA-256 decides.
  @Test func `a randomly mutated delta is refused or gives the declared result`() throws {
    let folder = try Folder()
    var random = Seeded(11)
    let a = randomEntries(.both, count: 60, &random)
    let b = a.enumerated().filter { $0.offset % 7 != 3 }.map { item in
      item.offset % 5 == 0 ? PackEntry(number: item.element.number, label: "new \(item.offset)") : item.element
    }
    let base = try PackReader(bytes: packBytes(a, .init(kind: .both)))
    let result = try PackReader(bytes: packBytes(b, .init(kind: .both, dictionary: base)))
    try DeltaBuilder.build(from: base, to: result, out: folder.file("d"))
    let good = try contents(folder.file("d"))
    for _ in 0..<800 * more {
      var bytes = good
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 88..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      func put(_ value: UInt32, _ at: Int) {
        for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
      }
      put(checksum(Array(bytes[132..<256])), 256)
      put(checksum(Array(bytes[264...])), 120)
      put(checksum(Array(bytes[..<260])), 260)
      do {
        let delta = try PackDelta(bytes: bytes)
        let cursor = try delta.makeChanges(base: base)
        while try cursor.next() != nil {}
        try delta.apply(base: base, to: folder.file("b"))
        #expect(try PackReader.open(path: folder.file("b")).digest() == delta.header.resultDigest)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  /// A delta's maker can sign anything: applying the delta gives a pack that keeps every rule, or an error.
  @Test func `a crafted delta gives a valid pack or an error`() throws {
    let folder = try Folder()
    var random = Seeded(17)
    let a = randomEntries(.both, count: 60, &random)
    let base = try PackReader(bytes: packBytes(a, .init(kind: .both)))
    let result = try PackReader(
      bytes: packBytes(DeltaTests.next(a, .both, &random), .init(kind: .both, dictionary: base)))
    try DeltaBuilder.build(from: base, to: result, out: folder.file("d"))
    let good = try contents(folder.file("d"))
    func signed(_ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      func put(_ value: UInt32, _ at: Int) {
        for index in 0..<4 { bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
      }
      put(checksum(Array(bytes[132..<256])), 256)
      put(checksum(Array(bytes[264...])), 120)
      put(checksum(Array(bytes[..<260])), 260)
      return bytes
    }
    var applied = 0
    for _ in 0..<1500 * more {
      var bytes = good
      let at = Bool.random(using: &random) ? Int.random(in: 132..<256, using: &random) : nil
      bytes[at ?? Int.random(in: 264..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      bytes = signed(bytes)
      let path = folder.file("b")
      do {
        try PackDelta(bytes: bytes).apply(base: base, to: path)
      } catch {
        guard let digest = error.got.flatMap({ PackDigest(hex: $0) }), error.code == .corrupt else { continue }
        bytes.replaceSubrange(56..<88, with: digest.bytes)
        guard (try? PackDelta(bytes: signed(bytes)).apply(base: base, to: path)) != nil else { continue }
      }
      applied += 1
      #expect(throws: Never.self) { try PackReader.open(path: path).verify() }
    }
    #expect(applied > 10)
  }

  /// Finds of a fuzzer are kept in Golden/Finds and read again here.
  @Test func `inputs that a fuzzer found are handled`() throws {
    let folder = testFolder + "/Golden/Finds/"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let bytes = try contents(folder + name)
      do { try DamageTests.readAll(Self.repaired(bytes)) } catch { #expect(error is PackError, "\(name)") }
      do { _ = try PackDelta(bytes: bytes) } catch { #expect(!error.description.isEmpty, "\(name)") }
    }
  }
}
