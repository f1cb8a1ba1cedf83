// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Accounts

/// Test vectors of standards.
@Suite struct VectorTests {
  /// RFC 6238, appendix B, SHA-1.
  @Test(arguments: [
    (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
    (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
  ]) func `TOTP codes match the test vectors of RFC 6238`(seconds: Int, code: String) {
    let time = Date(timeIntervalSince1970: Double(seconds))
    let secret = Array("12345678901234567890".utf8)
    #expect(TOTP.code(secret: secret, step: TOTP.step(at: time), digits: 8) == code)
    #expect(TOTP.code(secret: secret, step: TOTP.step(at: time)) == code.suffix(6))
  }

  /// RFC 7914, section 12; without the first one, whose password is empty.
  @Test(arguments: [
    (
      "password", "NaCl", 10, 8, 16,
      """
      fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d\
      8360cbdfa2cc0640
      """
    ),
    (
      "pleaseletmein", "SodiumChloride", 14, 8, 1,
      """
      7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40\
      dfcf017b45575887
      """
    ),
  ]) func `scrypt keys match the published test vectors`(
    password: String, salt: String, log2N: Int, r: Int, p: Int, hex: String
  ) throws {
    let key = try PasswordHash.derive(
      Array(password.utf8), salt: Array(salt.utf8), cost: .init(log2N: log2N, r: r, p: p), count: 64)
    #expect(key.map { String(format: "%02x", $0) }.joined() == hex)
  }

  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ]) func `Base32 matches the test vectors of RFC 4648`(text: String, encoded: String) {
    #expect(Base32.encode(Array(text.utf8)) == encoded)
  }
}
