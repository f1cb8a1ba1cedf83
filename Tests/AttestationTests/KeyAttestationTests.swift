// SPDX-License-Identifier: Apache-2.0

import AttestationSupport
import Crypto
import Curation
import Foundation
import Testing

@testable import Attestation

/// Chains of a phone with a root of the test's own, changed in each place that is checked.
@Suite struct KeyAttestationTests {
  /// A forged chain, and the check that finds it.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let refusal: AttestationRefusal
    let change: @Sendable (inout AndroidPhone) throws -> Void

    init(
      _ name: String, _ refusal: AttestationRefusal, _ change: @escaping @Sendable (inout AndroidPhone) throws -> Void
    ) {
      (self.name, self.refusal, self.change) = (name, refusal, change)
    }

    var testDescription: String { name }
  }

  private static func trust(locked: UInt8, state: UInt8) -> [UInt8] {
    Value.sequence([Value.octets([1]), [0x01, 0x01, locked], Value.enumerated(state)])
  }

  static let forgeries: [Forgery] = [
    Forgery("an app without packages", .platformNotConfigured) { $0.policy.androidPackages = [:] },
    Forgery("two certificates", .chainLength) { $0.changeChain = { Array($0.suffix(2)) } },
    Forgery("seven certificates", .chainLength) { $0.changeChain = { $0 + $0.prefix(3) } },
    Forgery("a certificate of 5 KB", .tooLarge) {
      $0.changeChain = { [[UInt8](repeating: 0x30, count: 5_000)] + $0.dropFirst() }
    },
    Forgery("no certificate", .unsupportedCertificate) { $0.changeChain = { [[0x30, 0x00]] + $0.dropFirst() } },
    Forgery("a root that nobody trusts", .unknownRoot) { $0.trusted = Maker() },
    Forgery("a root that nobody can read", .unknownRoot) { $0.changeChain = { $0.dropLast() + [[0x30, 0x00]] } },
    Forgery("a chain without its root", .unknownRoot) { $0.changeChain = { Array($0.dropLast()) } },
    Forgery("another issuer's name", .nameChaining) { $0.leafIssuer = Name("other") },
    Forgery("certificates in another order", .nameChaining) { $0.changeChain = { [$0[1], $0[0], $0[2], $0[3]] } },
    Forgery("a signature of another key", .badSignature) { $0.leafSigner = .init(P256.Signing.PrivateKey()) },
    Forgery("an issuer of tomorrow", .notYetValid) { $0.middleDays = 1...2 },
    Forgery("a remote chain that has ended", .expired) {
      $0.maker.issuerName = Name("Droid CA2")
    },
    Forgery("a revoked key", .revoked) { $0.middleSerial = 0xabc },
    Forgery("a leaf without a description", .noKeyDescription) { $0.hasDescription = false },
    Forgery("a further certificate of an attested key", .extendedChain) {
      $0.middleExtensions = [AndroidPhone.description($0.description())]
    },
    Forgery("a key of P-384", .unsupportedKey) { $0.leafKey = .init(P384.Signing.PrivateKey()) },
    Forgery("a description that ends early", .malformedKeyDescription) { $0.changeDescription = { $0.dropLast() } },
    Forgery("bytes after the description", .malformedKeyDescription) { $0.changeDescription = { $0 + [5, 0] } },
    Forgery("a tag twice", .malformedKeyDescription) {
      $0.moreSoftware = [Value.member(701, Value.integer(1)), Value.member(701, Value.integer(1))]
    },
    Forgery("tags that descend", .malformedKeyDescription) { $0.moreSoftware = [Value.member(710, Value.octets([1]))] },
    Forgery("another challenge", .challengeMismatch) { $0.challenge = [1, 2, 3] },
    Forgery("levels of hardware that differ", .levelTooLow) { $0.levels = (1, 2) },
    Forgery("an attestation of software for a key of hardware", .softwareLevel) { $0.levels = (0, 1) },
    Forgery("a key of software that hardware attests", .softwareLevel) { $0.levels = (1, 0) },
    Forgery("levels that do not exist", .malformedKeyDescription) { $0.levels = (127, 127) },
    Forgery("a key of software", .softwareLevel) { $0.levels = (0, 0) },
    Forgery("no root of trust", .noRootOfTrust) { $0.rootOfTrust = nil },
    Forgery("a system with the owner's key", .bootNotVerified) { $0.rootOfTrust = trust(locked: 0xFF, state: 1) },
    Forgery("an unlocked phone", .bootNotVerified) { $0.rootOfTrust = trust(locked: 0, state: 2) },
    Forgery("an unlocked phone that says it is verified", .bootloaderUnlocked) {
      $0.rootOfTrust = trust(locked: 0, state: 0)
    },
    Forgery("an imported key", .keyNotGenerated) { $0.origin = 2 },
    Forgery("a key that encrypts", .keyCannotSign) { $0.purpose = 0 },
    Forgery("no application", .noApplicationID) { $0.hasApplication = false },
    Forgery("another app", .wrongPackage) { $0.packages = [Array("org.example.other".utf8)] },
    Forgery("two apps with one user", .wrongPackage) { $0.packages.append(Array("org.example.other".utf8)) },
    Forgery("another signer", .wrongSigner) { $0.digests = [[UInt8](repeating: 1, count: 32)] },
    Forgery("another signer besides", .wrongSigner) { $0.digests.append([UInt8](repeating: 1, count: 32)) },
    Forgery("no signer", .wrongSigner) { $0.digests = [] },
  ]

  @Test(arguments: forgeries) func `a forged chain is refused with the code of its check`(_ forgery: Forgery) throws {
    var phone = AndroidPhone()
    try forgery.change(&phone)
    let forged = phone
    #expect(throws: forgery.refusal) { try forged.verify() }
  }

  @Test func `a genuine chain gives the key`() throws {
    #expect(Self.forgeries.count >= 25)
    var phone = AndroidPhone()
    let point = Array(phone.key.publicKey.x963Representation)
    // The certificates of the factory have ended.
    #expect(try phone.verify() == AttestedKey(publicKey: point, isHardware: true))
    phone.maker.issuerName = Name("Droid CA2")
    phone.middleDays = -1...1
    #expect(throws: AttestationRefusal.expired) { try phone.verify() }
  }

  @Test(arguments: [(0, 1), (1, 0), (0, 0)]) func `a hybrid chain is one of software where that is allowed`(
    levels: (Int, Int)
  ) throws {
    var phone = AndroidPhone()
    phone.levels = (.init(levels.0), .init(levels.1))
    phone.policy.allowsSoftware = true
    #expect(try !phone.verify().isHardware)
  }

  @Test func `roots are read from PEM with lines of any length`() throws {
    let root = AttestationRoots.known.apple[0]
    for columns in [64, 76, 1_000] {
      let text = Data(root.bytes).base64EncodedString()
      let lines = stride(from: 0, to: text.count, by: columns).map { String(text.dropFirst($0).prefix(columns)) }
      let pem = "-----BEGIN CERTIFICATE-----\r\n\(lines.joined(separator: "\r\n"))\r\n-----END CERTIFICATE-----\r\n"
      #expect(try AttestationRoots(apple: pem).apple.count == 1)
    }
  }

  @Test func `a chain without a list of revoked keys proves less`() throws {
    var phone = AndroidPhone()
    phone.revoked = nil
    #expect(try !phone.verify().isHardware)
    phone.policy.allowsSoftware = true
    phone.levels = (0, 0)
    phone.rootOfTrust = nil
    #expect(try !phone.verify().isHardware)
  }

  @Test func `the list of revoked keys is read in Google's form`() throws {
    #expect(RevocationList(Data("[]".utf8)) == nil)
    #expect(RevocationList(Data(#"{"entries":{"1":{}}}"#.utf8)) == nil)
    let text = #"{"entries":{"0AbC":{"status":"SUSPENDED","reason":"SOFTWARE_FLAW"},"10":{"status":"REVOKED"}}}"#
    let list = try #require(RevocationList(Data(text.utf8)))
    #expect(list.count == 2)
    #expect(list.contains([0x00, 0x0A, 0xBC]))
    #expect(list.contains([0x10]))
    #expect(!list.contains([0x01]))
  }

  @Test func `a signature renews only with its message`() throws {
    let phone = AndroidPhone()
    let point = Array(phone.key.publicKey.x963Representation)
    let signature = Array(try phone.key.signature(for: Data([1, 2])).derRepresentation)
    try KeyAttestation.verify(signature: signature, by: point, message: [1, 2], policy: phone.policy)
    #expect(throws: AttestationRefusal.badSignature) {
      try KeyAttestation.verify(signature: signature, by: point, message: [1, 3], policy: phone.policy)
    }
    #expect(throws: AttestationRefusal.tooLarge) {
      try KeyAttestation.verify(
        signature: signature + [UInt8](repeating: 0, count: 80), by: point, message: [1, 2], policy: phone.policy)
    }
  }
}
