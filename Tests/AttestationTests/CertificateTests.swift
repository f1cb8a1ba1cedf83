// SPDX-License-Identifier: Apache-2.0

import AttestationSupport
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import Attestation

/// Certificates with each algorithm, and with each part in another form than RFC 5280 allows.
@Suite struct CertificateTests {
  private static func signer(_ name: String) throws -> Signer {
    let (ecdsa, rsa): ([UInt], [UInt]) = ([1, 2, 840, 10_045, 4, 3], [1, 2, 840, 113_549, 1, 1])
    switch name {
    case "P-256, SHA-512":
      let key = P256.Signing.PrivateKey()
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: ecdsa + [4]) {
        try key.signature(for: SHA512.hash(data: $0)).derRepresentation
      }
    case "P-384, SHA-256":
      let key = P384.Signing.PrivateKey()
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: ecdsa + [2]) {
        try key.signature(for: SHA256.hash(data: $0)).derRepresentation
      }
    case "P-521, SHA-512":
      let key = P521.Signing.PrivateKey()
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: ecdsa + [4]) {
        try key.signature(for: $0).derRepresentation
      }
    case "RSA, SHA-256":
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: rsa + [11], parameters: [5, 0]) {
        try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
      }
    case "RSA, SHA-384":
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: rsa + [12], parameters: [5, 0]) {
        try key.signature(for: SHA384.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
      }
    case "RSA, SHA-1":
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: rsa + [5], parameters: [5, 0]) {
        try key.signature(for: Insecure.SHA1.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation
      }
    case "P-256 with the algorithm of RSA":
      let key = P256.Signing.PrivateKey()
      return Signer(keyInfo: key.publicKey.derRepresentation, algorithm: rsa + [11]) {
        try key.signature(for: $0).derRepresentation
      }
    default:
      return Signer(P256.Signing.PrivateKey())
    }
  }

  private static func parts(_ signer: Signer = Signer(P256.Signing.PrivateKey())) -> CertificateParts {
    CertificateParts(signer.keyInfo, Name("self"), by: Name("self"), signer)
  }

  @Test(arguments: [
    ("P-256, SHA-256", true), ("P-256, SHA-512", true), ("P-384, SHA-256", true), ("P-521, SHA-512", true),
    ("RSA, SHA-256", true), ("RSA, SHA-384", true), ("RSA, SHA-1", false), ("P-256 with the algorithm of RSA", false),
  ])
  func `a signature counts with each algorithm of phones and with no other`(name: String, isValid: Bool) throws {
    let signer = try Self.signer(name)
    #expect(try Certificate(Self.parts(signer).der()).isSignedByItself == isValid)
    var other = Self.parts(signer)
    other.keyInfo = Signer(P256.Signing.PrivateKey()).keyInfo
    #expect(try !Certificate(other.der()).isSignedByItself)
  }

  static let forms: [(String, Certificate.Problem?, @Sendable (inout CertificateParts) -> Void)] = [
    ("as it is", nil, { _ in }),
    ("of version 1", nil, { $0.version = [] }),
    ("with an extension", nil, { $0.extensions = [Value.sequence([Value.identifier([1, 2, 3]), Value.octets([])])] }),
    (
      "with an extension that is critical with the byte 1", nil,
      { $0.extensions = [Value.sequence([Value.identifier([1, 2, 3]), [1, 1, 1], Value.octets([])])] }
    ),
    (
      "with an extension twice", .malformed,
      { $0.extensions = Array(repeating: Value.sequence([Value.identifier([1, 2, 3]), Value.octets([])]), count: 2) }
    ),
    (
      "with an extension without a value", .malformed, { $0.extensions = [Value.sequence([Value.identifier([1, 2])])] }
    ),
    ("with a member more", .malformed, { $0.more = Value.integer(1) }),
    (
      "with a member more after the extensions", .malformed,
      {
        $0.extensions = [Value.sequence([Value.identifier([1, 2, 3]), Value.octets([])])]
        $0.more = Value.octets([])
      }
    ),
    ("with another algorithm outside", .malformed, { $0.outerAlgorithm = Value.sequence([Value.identifier([1, 2])]) }),
    ("with a signature of 7 bits fewer", .malformed, { $0.signature = { Value.node([3], [7] + $0 + [0x80]) } }),
    ("with a signature of no type", .malformed, { $0.signature = { Value.octets($0) } }),
    ("with bytes after the signature", .malformed, { $0.signature = { Value.bits($0) + [5, 0] } }),
    ("with one time", .malformed, { $0.times = Value.sequence([Value.node([0x17], Array("260101000000Z".utf8))]) }),
    ("with a time in another zone", .malformed, { $0.times = Self.times("260101000000+0100") }),
    ("with a time without seconds", .malformed, { $0.times = Self.times("2601010000Z") }),
    ("with a day that is none", .malformed, { $0.times = Self.times("260230000000Z") }),
    ("with a name that is none", .malformed, { $0.subject = Value.sequence([Value.octets([])]) }),
    ("with a serial number that is none", .malformed, { $0.serialNumber = Value.octets([1]) }),
    (
      "with a point that is on no curve", .malformed,
      { $0.keyInfo = Self.key([1, 2, 840, 10_045, 3, 1, 7], [4] + [UInt8](repeating: 1, count: 64)) }
    ),
    ("with another curve", .unsupportedKey, { $0.keyInfo = Self.key([1, 3, 132, 0, 10], [4]) }),
    (
      "with Ed25519", .unsupportedKey,
      {
        $0.keyInfo = Value.sequence([
          Value.sequence([Value.identifier([1, 3, 101, 112])]), Value.bits([UInt8](repeating: 1, count: 32)),
        ])
      }
    ),
  ]

  private static func times(_ text: String) -> [UInt8] {
    Value.sequence(Array(repeating: Value.node([0x17], Array(text.utf8)), count: 2))
  }

  private static func key(_ curve: [UInt], _ point: [UInt8]) -> [UInt8] {
    Value.sequence([
      Value.sequence([Value.identifier([1, 2, 840, 10_045, 2, 1]), Value.identifier(curve)]), Value.bits(point),
    ])
  }

  @Test(arguments: forms.indices) func `a certificate in another form is refused`(place: Int) throws {
    let (name, problem, change) = Self.forms[place]
    var parts = Self.parts()
    change(&parts)
    let der = try parts.der()
    if let problem {
      #expect(throws: problem, "a certificate \(name)") { try Certificate(der) }
    } else {
      #expect(throws: Never.self, "a certificate \(name)") { try Certificate(der) }
    }
  }

  @Test func `times are those of two centuries`() throws {
    func times(_ short: String, _ long: String) throws -> [Date] {
      var parts = Self.parts()
      parts.times = Value.sequence([
        Value.node([0x17], Array(short.utf8)), Value.node([0x18], Array(long.utf8)),
      ])
      let certificate = try Certificate(parts.der())
      return [certificate.notBefore, certificate.notAfter]
    }
    func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
    #expect(
      try times("500101000000Z", "20500101000000Z") == [date("1950-01-01T00:00:00Z"), date("2050-01-01T00:00:00Z")])
    #expect(
      try times("491231235959Z", "99991231235959Z") == [date("2049-12-31T23:59:59Z"), date("9999-12-31T23:59:59Z")])
  }

  @Test func `each byte of what is signed counts`() throws {
    let der = try Self.parts().der()
    for place in der.indices {
      var changed = der
      changed[place] ^= 0x01
      guard let certificate = try? Certificate(changed) else { continue }
      #expect(!certificate.isSignedByItself, "byte \(place)")
    }
    for length in der.indices {
      #expect(throws: Certificate.Problem.malformed) { try Certificate(Array(der.prefix(length))) }
    }
  }
}
