// SPDX-License-Identifier: Apache-2.0

import AttestationSupport
import Crypto
import Curation
import Foundation
import Testing

@testable import Attestation

/// Statements of a phone with a root of the test's own, changed in each place that is checked.
@Suite struct AppAttestTests {
  /// A forged statement, and the check that finds it.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let refusal: AttestationRefusal
    let change: @Sendable (inout ApplePhone) throws -> Void

    init(
      _ name: String, _ refusal: AttestationRefusal, _ change: @escaping @Sendable (inout ApplePhone) throws -> Void
    ) {
      (self.name, self.refusal, self.change) = (name, refusal, change)
    }

    var testDescription: String { name }
  }

  static let forgeries: [Forgery] = [
    Forgery("an app without App IDs", .platformNotConfigured) { $0.policy.iosAppIDs = [] },
    Forgery("17 KB", .tooLarge) { $0.changeObject = { $0 + [UInt8](repeating: 0, count: 17_000) } },
    Forgery("a byte more", .malformed) { $0.changeObject = { $0 + [0] } },
    Forgery("a byte less", .malformed) { $0.changeObject = { $0.dropLast() } },
    Forgery("no map", .malformed) { $0.changeObject = { _ in [0x80] } },
    Forgery("another format", .wrongFormat) { $0.format = "apple-other" },
    Forgery("one certificate", .malformed) { $0.chain = { Array($0.prefix(1)) } },
    Forgery("a certificate of 5 KB", .tooLarge) { $0.chain = { [[UInt8](repeating: 0x30, count: 5_000), $0[1]] } },
    Forgery("no certificate", .unsupportedCertificate) { $0.chain = { [[0x30, 0x00], $0[1]] } },
    Forgery("another issuer's name", .nameChaining) { $0.leafIssuer = Name("other") },
    Forgery("a signature of another key", .badSignature) { $0.leafSigner = .init(P384.Signing.PrivateKey()) },
    Forgery("a root that nobody trusts", .unknownRoot) { $0.trusted = Maker() },
    Forgery("an issuer without constraints", .notACA) { $0.issuerExtensions = [] },
    Forgery("an issuer that is no authority", .notACA) {
      $0.issuerExtensions = [.noAuthority]
    },
    Forgery("an issuer whose key signs no certificates", .notACA) {
      $0.issuerExtensions = [.authority(pathLength: 0), .keyUsage(0x80)]
    },
    Forgery("an issuer with a critical extension that nobody knows", .notACA) {
      $0.issuerExtensions = [.authority(pathLength: 0), .init([1, 2, 3, 4], isCritical: true, [5, 0])]
    },
    Forgery("a leaf that is an authority", .leafIsACA) {
      $0.leafExtensions = [.authority()]
    },
    Forgery("a leaf of tomorrow", .notYetValid) { $0.leafDays = 1...2 },
    Forgery("a leaf of last week", .expired) { $0.leafDays = -7 ... -4 },
    Forgery("an issuer that has ended", .expired) { $0.issuerDays = -400 ... -1 },
    Forgery("an issuer of tomorrow", .notYetValid) { $0.issuerDays = 1...400 },
    Forgery("no nonce", .nonceMissing) { $0.nonce = .some(nil) },
    Forgery("a short nonce", .nonceMissing) { $0.nonce = .some([1, 2, 3]) },
    Forgery("another challenge", .nonceMismatch) { $0.nonce = .some([UInt8](repeating: 9, count: 32)) },
    Forgery("a key of P-384", .unsupportedKey) { $0.leafKey = .init(P384.Signing.PrivateKey()) },
    Forgery("another key's identifier", .keyIDMismatch) { $0.keyID = [UInt8](repeating: 1, count: 32) },
    Forgery("a leaf of another key", .keyIDMismatch) { $0.leafKey = .init(P256.Signing.PrivateKey()) },
    Forgery("data that end early", .malformed) { $0.changeData = { Array($0.prefix(120)) } },
    Forgery("bytes after the key", .malformed) { $0.extensions = [0x01] },
    Forgery("another app", .wrongApp) { $0.appID = "A1B2C3D4E5.org.example.other" },
    Forgery("a counter that has begun", .counterNotZero) { $0.counter = 1 },
    Forgery("a build of a developer", .wrongEnvironment) { $0.aaguid = Array("appattestdevelop".utf8) },
    Forgery("an unknown environment", .wrongEnvironment) {
      $0.aaguid = [UInt8](repeating: 7, count: 16)
      $0.policy.allowsDevelopment = true
    },
    Forgery("another credential", .credentialIDMismatch) { $0.credentialID = [UInt8](repeating: 1, count: 32) },
    Forgery("another credential's key", .credentialKeyMismatch) {
      $0.credentialKey = P256.Signing.PrivateKey().publicKey
    },
    Forgery("an app of the system", .wrongCategory) {
      $0.extensions = [0xA1] + ApplePhone.text("apple_validation_category_01") + ApplePhone.bytes([1, 0, 0, 0])
    },
  ]

  @Test(arguments: forgeries) func `a forged statement is refused with the code of its check`(_ forgery: Forgery) throws
  {
    var phone = ApplePhone()
    try forgery.change(&phone)
    let forged = phone
    #expect(throws: forgery.refusal) { try forged.verify() }
  }

  @Test func `a genuine statement gives the key`() throws {
    #expect(Self.forgeries.count >= 25)
    var phone = ApplePhone()
    #expect(try phone.verify() == AttestedKey(publicKey: phone.point, isHardware: true))
    phone.extensions = [0xA1] + ApplePhone.text("apple_validation_category_01") + ApplePhone.bytes([4, 0, 0, 0])
    #expect(try phone.verify().publicKey == phone.point)
    phone.aaguid = Array("appattestdevelop".utf8)
    phone.policy.allowsDevelopment = true
    #expect(try phone.verify().publicKey == phone.point)
  }

  @Test func `an assertion gives its counter`() throws {
    var phone = ApplePhone()
    phone.counter = 7
    #expect(try phone.verifyAssertion() == 7)
    let other = P256.Signing.PrivateKey()
    #expect(throws: AttestationRefusal.badSignature) {
      try AppAttest.verify(
        assertion: try phone.assertion(by: other), by: phone.point, clientDataHash: phone.hash, policy: phone.policy)
    }
    let asked = try phone.assertion()
    #expect(throws: AttestationRefusal.badSignature) {
      try AppAttest.verify(
        assertion: asked, by: phone.point, clientDataHash: [UInt8](repeating: 0, count: 32), policy: phone.policy)
    }
    phone.counter = 0
    #expect(throws: AttestationRefusal.counterNotGreater) { try phone.verifyAssertion() }
    phone.counter = 8
    phone.changeObject = { $0 + [UInt8](repeating: 0, count: 2_048) }
    #expect(throws: AttestationRefusal.tooLarge) { try phone.verifyAssertion() }
    phone.changeObject = { $0.dropLast() }
    #expect(throws: AttestationRefusal.malformed) { try phone.verifyAssertion() }
    phone.changeObject = { $0 }
    phone.appID = "A1B2C3D4E5.org.example.other"
    #expect(throws: AttestationRefusal.wrongApp) { try phone.verifyAssertion() }
  }

  @Test func `a file of roots must have certificates that signed themselves`() throws {
    let maker = Maker()
    #expect(throws: AttestationRoots.Unusable(certificate: 0)) { try AttestationRoots(apple: "no certificate") }
    let issued = try Maker.certificate(
      .init(maker.issuer), maker.rootName, by: maker.rootName, .init(P384.Signing.PrivateKey()))
    let text = try Maker.pem(maker.rootCertificate()) + "\n" + Maker.pem(issued)
    #expect(throws: AttestationRoots.Unusable(certificate: 2)) { try AttestationRoots(apple: text) }
    #expect(AttestationRoots.known.apple.count == 1)
    #expect(AttestationRoots.known.android.count == 2)
  }
}
