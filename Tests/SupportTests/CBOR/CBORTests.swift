// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Support

/// Strict reading of CBOR. Values are examples of RFC 8949, appendix A.
@Suite struct CBORTests {
  private func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  @Test(arguments: [
    ("00", CBOR.integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1_000)),
    ("1a000f4240", .integer(1_000_000)), ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
    ("3903e7", .integer(-1_000)), ("3b7fffffffffffffff", .integer(.min)), ("4401020304", .bytes([1, 2, 3, 4])),
    ("62c3bc", .text("ü")), ("83010203", .array([.integer(1), .integer(2), .integer(3)])), ("f4", .bool(false)),
    ("f5", .bool(true)), ("f6", .null), ("a0", .map([:])),
    ("a201020326", .map([.integer(1): .integer(2), .integer(3): .integer(-7)])),
    ("a26161016162820203", .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])),
  ])
  func `values of the standard are read`(hex: String, value: CBOR) throws {
    #expect(try CBOR(bytes(hex)) == value)
  }

  @Test(arguments: [
    ("", CBOR.Problem.endedEarly), ("18", .endedEarly), ("4401", .endedEarly), ("8201", .endedEarly),
    ("a101", .endedEarly), ("5bffffffffffffffff00", .endedEarly),
    // Lengths and numbers in a longer form than needed.
    ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
    ("1b00000000ffffffff", .notShortest), ("580101", .notShortest), ("a1180102", .notShortest),
    // Indefinite lengths.
    ("5f41014102ff", .indefinite), ("7f6161ff", .indefinite), ("9f01ff", .indefinite), ("bf0102ff", .indefinite),
    // Floats, tags, other simple values, reserved lengths, integers beyond 64 bits with a sign.
    ("f90000", .unsupported(0xF9)), ("fa47c35000", .unsupported(0xFA)), ("fb3ff199999999999a", .unsupported(0xFB)),
    ("c074", .unsupported(0xC0)), ("f7", .unsupported(0xF7)), ("e0", .unsupported(0xE0)), ("f820", .unsupported(0xF8)),
    ("ff", .unsupported(0xFF)), ("1c", .unsupported(0x1C)), ("1b8000000000000000", .unsupported(0x1B)),
    ("3bffffffffffffffff", .unsupported(0x3B)),
    ("61ff", .notText), ("a14100f6", .unsupportedKey), ("a1f4f6", .unsupportedKey), ("a201f601f6", .repeatedKey),
    ("a2616101616102", .repeatedKey), ("0000", .bytesLeft(1)), ("f6f6f6", .bytesLeft(2)),
  ])
  func `each deviation is refused`(hex: String, problem: CBOR.Problem) {
    #expect(throws: problem) { try CBOR(bytes(hex)) }
  }

  @Test func `depth, members and size have limits`() throws {
    let levels = { (count: Int) in [UInt8](repeating: 0x81, count: count) + [0xF6] }
    _ = try CBOR(levels(CBOR.maxDepth))
    #expect(throws: CBOR.Problem.tooDeep) { try CBOR(levels(CBOR.maxDepth + 1)) }
    _ = try CBOR([0x98, 64] + [UInt8](repeating: 0xF6, count: 64))
    #expect(throws: CBOR.Problem.tooManyMembers(65)) { try CBOR([0x98, 65] + [UInt8](repeating: 0xF6, count: 65)) }
    // Members that are announced and do not come take no memory.
    #expect(throws: CBOR.Problem.tooManyMembers(.max)) { try CBOR(bytes("9bffffffffffffffff")) }
    let long = [UInt8](repeating: 0, count: CBOR.maxBytes - 3)
    _ = try CBOR([0x59, UInt8(long.count >> 8), UInt8(long.count & 255)] + long)
    #expect(throws: CBOR.Problem.tooLong(CBOR.maxBytes + 1)) {
      try CBOR([UInt8](repeating: 0, count: CBOR.maxBytes + 1))
    }
  }

  @Test func `a value is read from the beginning of bytes`() throws {
    var rest = bytes("a10102f6")[...]
    #expect(try CBOR(readingFrom: &rest) == .map([.integer(1): .integer(2)]))
    #expect(rest == [0xF6])
  }

  @Test func `every beginning of a value is refused without a crash`() {
    let value = bytes("a301820102026161034403040506")
    for end in value.indices { #expect(throws: CBOR.Problem.endedEarly) { try CBOR(Array(value[..<end])) } }
  }
}
