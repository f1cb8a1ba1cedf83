// SPDX-License-Identifier: Apache-2.0

package import Attestation
package import Crypto
package import Curation
package import Foundation

/// A phone of Apple with a root of its own. A changed property forges its statement.
package struct ApplePhone: Sendable {
  package static let appID = "A1B2C3D4E5.org.example.caller"

  package var maker = Maker()
  package var trusted: Maker?
  package let key = P256.Signing.PrivateKey()
  package var hash = Array(SHA256.hash(data: Data("challenge".utf8)))
  package var appID = Self.appID
  package var policy = AttestationPolicy(iosAppIDs: [Self.appID])
  package var time = Maker.time
  package var format = "apple-appattest"
  package var counter: UInt32 = 0
  package var aaguid = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
  package var keyID: [UInt8]?
  package var credentialID: [UInt8]?
  package var credentialKey: P256.Signing.PublicKey?
  package var leafKey: Signer?
  package var leafIssuer: Name?
  package var leafSigner: Signer?
  package var leafExtensions: [Extension] = []
  package var leafDays = -1.0...2
  package var issuerDays = -400.0...400
  package var issuerExtensions: [Extension]?
  package var nonce: [UInt8]??
  /// After the key of the credential, CBOR.
  package var extensions: [UInt8] = []
  package var changeData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  package var changeObject: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  package var chain: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }

  package init() {}

  package var point: [UInt8] { Array(key.publicKey.x963Representation) }

  package static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    bytes.count < 24
      ? [0x40 | UInt8(bytes.count)] + bytes
      : bytes.count < 256
        ? [0x58, UInt8(bytes.count)] + bytes : [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  package static func text(_ text: String) -> [UInt8] {
    (text.utf8.count < 24 ? [0x60 | UInt8(text.utf8.count)] : [0x78, UInt8(text.utf8.count)]) + text.utf8
  }

  private func head(_ counter: UInt32) -> [UInt8] {
    Array(SHA256.hash(data: Data(appID.utf8))) + [0x40] + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
  }

  package func attestation() throws -> [UInt8] {
    let raw = Array((credentialKey ?? key.publicKey).rawRepresentation)
    let id = credentialID ?? AttestedKey.keyID(of: point)
    let cose =
      [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + Self.bytes(Array(raw[..<32])) + [0x22]
      + Self.bytes(Array(raw[32...]))
    let credential: [UInt8] = [UInt8(id.count >> 8), UInt8(id.count & 255)] + id + cose
    let data = changeData(head(counter) + aaguid + credential + extensions)
    let nonce = self.nonce ?? Array(SHA256.hash(data: data + hash))
    var leafExtensions = leafExtensions
    if let nonce {
      leafExtensions.append(
        .init([1, 2, 840, 113_635, 100, 8, 2], [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce))
    }
    let leaf = try Maker.certificate(
      leafKey ?? .init(key), Name("leaf"), by: leafIssuer ?? maker.issuerName, leafSigner ?? .init(maker.issuer),
      days: leafDays, extensions: leafExtensions)
    let issuer = try Maker.certificate(
      .init(maker.issuer), maker.issuerName, by: maker.rootName, .init(maker.root), days: issuerDays,
      extensions: issuerExtensions ?? [.authority(pathLength: 0), .keyUsage(0x04)])
    let x5c = chain([leaf, issuer])
    var statement: [UInt8] = [0xA2] + Self.text("x5c") + [0x80 | UInt8(x5c.count)] + x5c.flatMap(Self.bytes)
    statement += Self.text("receipt") + Self.bytes([1, 2, 3])
    var object: [UInt8] = [0xA3] + Self.text("fmt") + Self.text(format)
    object += Self.text("attStmt") + statement
    object += Self.text("authData") + Self.bytes(data)
    return changeObject(object)
  }

  package func roots() throws -> AttestationRoots {
    try AttestationRoots(apple: Maker.pem((trusted ?? maker).rootCertificate()))
  }

  package func verify() throws -> AttestedKey {
    try AppAttest.verify(
      attestation(), keyID: keyID ?? AttestedKey.keyID(of: point), clientDataHash: hash, policy: policy, roots: roots(),
      at: time)
  }

  /// An assertion with the counter of the phone.
  package func assertion(by signer: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
    let data = changeData(head(counter) + extensions)
    let nonce = Array(SHA256.hash(data: data + hash))
    let signature = try (signer ?? key).signature(for: Data(nonce)).derRepresentation
    return changeObject(
      [0xA2] + Self.text("signature") + Self.bytes(Array(signature)) + Self.text("authenticatorData") + Self.bytes(data)
    )
  }

  package func verifyAssertion() throws -> Int64 {
    try AppAttest.verify(assertion: assertion(), by: point, clientDataHash: hash, policy: policy)
  }
}

/// A phone with Android and a root of its own. A changed property forges its statement.
package struct AndroidPhone: Sendable {
  package static let package = "org.example.caller"
  package static let digest = [UInt8](repeating: 0x5A, count: 32)

  package var maker = Maker()
  package var trusted: Maker?
  package let key = P256.Signing.PrivateKey()
  package let attestationKey = P256.Signing.PrivateKey()
  package var challenge = Array("challenge".utf8)
  package var asked = Array("challenge".utf8)
  package var policy = AttestationPolicy(
    androidPackages: [Self.package: [String(repeating: "5a", count: 32)]])
  package var revoked: RevocationList? = RevocationList(Data(#"{"entries":{"abc":{"status":"REVOKED"}}}"#.utf8))
  package var time = Maker.time
  package var levels: (UInt8, UInt8) = (1, 1)
  package var packages = [Array(Self.package.utf8)]
  package var digests = [Self.digest]
  package var rootOfTrust: [UInt8]? = Value.sequence([
    Value.octets([1]), [0x01, 0x01, 0x01], Value.enumerated(0), Value.octets([2]),
  ])
  package var origin: UInt8 = 0
  package var purpose: UInt8 = 2
  package var hasApplication = true
  package var moreSoftware: [[UInt8]] = []
  package var leafKey: Signer?
  package var leafIssuer: Name?
  package var leafSigner: Signer?
  package var middleDays = -10.0 ... -2
  package var middleSerial: Int64 = 9
  package var middleExtensions: [Extension] = []
  package var changeDescription: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  package var hasDescription = true
  package var changeChain: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }

  package init() {}

  package func description() -> [UInt8] {
    let application = Value.octets(
      Value.sequence([
        Value.set(packages.map { Value.sequence([Value.octets($0), Value.integer(3)]) }),
        Value.set(digests.map(Value.octets)),
      ]))
    let software = moreSoftware + (hasApplication ? [Value.member(709, application)] : [])
    let hardware =
      [Value.member(1, Value.set([Value.integer(purpose)])), Value.member(702, Value.integer(origin))]
      + (rootOfTrust.map { [Value.member(704, $0)] } ?? [])
    return changeDescription(
      Value.sequence([
        Value.integer(4), Value.enumerated(levels.0), Value.integer(4), Value.enumerated(levels.1),
        Value.octets(challenge), Value.octets([]), Value.sequence(software), Value.sequence(hardware),
      ]))
  }

  package static func description(_ bytes: [UInt8]) -> Extension {
    .init([1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17], bytes)
  }

  package func chain() throws -> [[UInt8]] {
    let middleName = Name("Test Attestation")
    let leaf = try Maker.certificate(
      leafKey ?? .init(key), Name("leaf"), by: leafIssuer ?? middleName, leafSigner ?? .init(attestationKey),
      days: -20_000...20_000,
      extensions: hasDescription ? [Self.description(description())] : [])
    let middle = try Maker.certificate(
      .init(attestationKey), middleName, by: maker.issuerName, .init(maker.issuer), days: middleDays,
      serial: middleSerial, extensions: middleExtensions)
    let issuer = try Maker.certificate(
      .init(maker.issuer), maker.issuerName, by: maker.rootName, .init(maker.root), days: -400 ... -1)
    return changeChain([leaf, middle, issuer, try maker.rootCertificate()])
  }

  package func roots() throws -> AttestationRoots {
    try AttestationRoots(android: Maker.pem((trusted ?? maker).rootCertificate()))
  }

  package func verify() throws -> AttestedKey {
    try KeyAttestation.verify(
      chain(), challenge: asked, policy: policy, roots: roots(), revoked: revoked, at: time)
  }
}
