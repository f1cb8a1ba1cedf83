// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Testing

@Suite struct DamageTests {
  static func small(_ kind: PackKind) throws -> [UInt8] {
    var random = Seeded(77)
    return try packBytes(randomEntries(kind, count: 24, &random), .init(kind: kind, region: "US", serial: 3))
  }

  /// Reads all entries and returns their number.
  @discardableResult
  static func readAll(_ bytes: [UInt8]) throws -> Int {
    let reader = try PackReader(bytes: bytes)
    try reader.verify()
    return try entries(reader).count
  }

  @Test(arguments: PackKind.allCases) func `every changed byte of a pack is detected`(kind: PackKind) throws {
    let good = try Self.small(kind)
    for index in good.indices {
      for flip in [0x01, 0x80, 0xFF] as [UInt8] {
        var bytes = good
        bytes[index] ^= flip
        #expect(throws: PackError.self, "byte \(index) xor \(flip)") { try Self.readAll(bytes) }
      }
    }
  }

  @Test(arguments: PackKind.allCases) func `a pack of any other length is refused`(kind: PackKind) throws {
    let good = try Self.small(kind)
    for length in good.indices {
      #expect(throws: PackError.self, "length \(length)") { try Self.readAll(Array(good[..<length])) }
    }
    #expect(throws: PackError.self) { try Self.readAll(good + [0]) }
  }

  @Test func `every changed or missing byte of a delta is detected`() throws {
    let folder = try Folder()
    var random = Seeded(3)
    let a = randomEntries(.both, count: 30, &random)
    var b = a
    b.remove(at: 4)
    b[7].label = "changed"
    b[7].roles = .identifies
    let base = try PackReader(bytes: packBytes(a, .init(kind: .both)))
    let result = try PackReader(bytes: packBytes(b, .init(kind: .both, dictionary: base)))
    try DeltaBuilder.build(from: base, to: result, out: folder.file("d"))
    let good = try contents(folder.file("d"))
    func apply(_ bytes: [UInt8]) throws { try PackDelta(bytes: bytes).apply(base: base, to: folder.file("b")) }
    for index in good.indices {
      var bytes = good
      bytes[index] ^= 0x10
      #expect(throws: PackError.self, "byte \(index)") { try apply(bytes) }
      #expect(throws: PackError.self, "length \(index)") { try apply(Array(good[..<index])) }
    }
    #expect(folder.names == ["d"])
    try apply(good)
  }

  @Test func `errors include the expected value, the actual value and the remedy`() throws {
    let good = try Self.small(.identification)
    var bytes = good
    bytes[200] ^= 1
    let damaged = bytes
    let error = #expect(throws: PackError.self) { try Self.readAll(damaged) }
    #expect(error?.code == .corrupt)
    #expect(error?.expected != nil && error?.got != nil && error?.remedy != nil)
    #expect(throws: PackError.self) { try PackReader.open(path: "/no/such/file") }
    #expect(throws: PackError.self) { try PackReader.open(path: "/") }
  }
}
