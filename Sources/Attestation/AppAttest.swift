// SPDX-License-Identifier: Apache-2.0

import Support
import Crypto
package import Curation
package import Foundation
import SwiftASN1

/// Apple App Attest (Apple, "Validating apps that connect to your server" and "Attestation Object Validation Guide").
package enum AppAttest {
  /// The longest assertion in bytes; real ones have about 200.
  static let maxAssertionBytes = 2_048

  /// Checks an attestation, in the order of Apple's guide.
  /// - Parameters:
  ///   - object: the attestation object, CBOR.
  ///   - keyID: the identifier of the key, 32 bytes.
  ///   - clientDataHash: what the app has handed to `attestKey`, 32 bytes.
  /// - Throws: the first check that fails.
  package static func verify(
    _ object: [UInt8], keyID: [UInt8], clientDataHash: [UInt8], policy: AttestationPolicy, roots: AttestationRoots,
    at time: Date
  ) throws(AttestationRefusal) -> AttestedKey {
    guard !policy.iosAppIDs.isEmpty else { throw .platformNotConfigured }
    guard object.count <= CBOR.maxBytes else { throw .tooLarge }
    guard let members = try? CBOR(object), case .text(let format)? = members[.text("fmt")],
      case .bytes(let bytes)? = members[.text("authData")], let statement = members[.text("attStmt")],
      case .map = statement
    else { throw .malformed }
    guard format == "apple-appattest" else { throw .wrongFormat }
    guard case .array(let chain)? = statement[.text("x5c")], chain.count == 2, case .bytes(let first) = chain[0],
      case .bytes(let second) = chain[1]
    else { throw .malformed }
    let leaf = try AttestationChain.certificate(first)
    try check(leaf, issuer: try AttestationChain.certificate(second), roots: roots, at: time)
    try checkNonce(of: leaf, for: bytes, clientDataHash)
    guard let point = AttestationChain.point(of: leaf) else { throw .unsupportedKey }
    guard ConstantTime.areEqual(AttestedKey.keyID(of: point), keyID) else { throw .keyIDMismatch }
    let data = try AuthenticatorData(attestation: bytes)
    try data.checkApp(policy)
    guard data.counter == 0 else { throw .counterNotZero }
    guard let environment = data.environment, policy.allowsDevelopment || environment == .production else {
      throw .wrongEnvironment
    }
    guard let credential = data.credential, ConstantTime.areEqual(credential.id, keyID) else {
      throw .credentialIDMismatch
    }
    guard ConstantTime.areEqual(credential.point, point) else { throw .credentialKeyMismatch }
    try data.checkCategory(policy)
    return AttestedKey(publicKey: point, isHardware: true)
  }

  /// Checks an assertion. The caller checks that the counter grows when it stores it.
  /// - Parameter publicKey: of the attestation.
  /// - Returns: the counter, 1 or more.
  package static func verify(
    assertion object: [UInt8], by publicKey: [UInt8], clientDataHash: [UInt8], policy: AttestationPolicy
  ) throws(AttestationRefusal) -> Int64 {
    guard !policy.iosAppIDs.isEmpty else { throw .platformNotConfigured }
    guard object.count <= maxAssertionBytes else { throw .tooLarge }
    guard let members = try? CBOR(object), case .bytes(let signature)? = members[.text("signature")],
      case .bytes(let bytes)? = members[.text("authenticatorData")]
    else { throw .malformed }
    let data = try AuthenticatorData(assertion: bytes)
    // The phone signs the nonce as a message, so that it is hashed once more.
    let nonce = Array(SHA256.hash(data: bytes + clientDataHash))
    guard AttestedKey.isValid(signature, for: nonce, by: publicKey) else { throw .badSignature }
    try data.checkApp(policy)
    guard data.counter > 0 else { throw .counterNotGreater }
    return data.counter
  }

  private static func check(
    _ leaf: Certificate, issuer: Certificate, roots: AttestationRoots, at time: Date
  ) throws(AttestationRefusal) {
    try AttestationChain([leaf, issuer]).checkSignatures()
    let root = roots.apple.first { $0.subject == issuer.issuer && issuer.isSigned(by: $0) }
    guard let root else { throw .unknownRoot }
    guard issuer.isAuthority, issuer.signsCertificates, issuer.hasOnlyKnownCriticalExtensions else { throw .notACA }
    guard !leaf.isAuthority else { throw .leafIsACA }
    try AttestationChain.checkDates(of: [leaf, issuer, root], at: time)
  }

  /// The nonce is in an extension of the leaf: SEQUENCE { [1] { OCTET STRING } }.
  private static func checkNonce(
    of leaf: Certificate, for data: [UInt8], _ clientDataHash: [UInt8]
  ) throws(AttestationRefusal) {
    let head: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]
    guard let value = leaf.value(of: [1, 2, 840, 113_635, 100, 8, 2]),
      value.count == head.count + 32, value.starts(with: head)
    else { throw .nonceMissing }
    guard ConstantTime.areEqual(Array(value.dropFirst(head.count)), Array(SHA256.hash(data: data + clientDataHash)))
    else {
      throw .nonceMismatch
    }
  }
}

/// The statement of the phone, read by the position of its bytes. The flags say something else than what follows, so they
/// are not read.
struct AuthenticatorData {
  enum Environment {
    case production, development
  }

  let counter: Int64
  /// Nil in an assertion, and for an unknown one.
  let environment: Environment?
  /// The key with its identifier; nil in an assertion.
  let credential: (id: [UInt8], point: [UInt8])?
  /// How the app was distributed; nil before iOS 27.
  let category: Int64?
  private let appHash: [UInt8]

  init(attestation bytes: [UInt8]) throws(AttestationRefusal) {
    guard bytes.count >= 87, bytes[53] == 0, bytes[54] == 32 else { throw .malformed }
    var rest = bytes[87...]
    guard let key = try? CBOR(readingFrom: &rest), rest.startIndex == 164, key[.integer(1)] == .integer(2),
      key[.integer(3)] == .integer(-7), key[.integer(-1)] == .integer(1), case .bytes(let x)? = key[.integer(-2)],
      case .bytes(let y)? = key[.integer(-3)], x.count == 32, y.count == 32
    else { throw .malformed }
    credential = (Array(bytes[55..<87]), [4] + x + y)
    switch Array(bytes[37..<53]) {
    case Array("appattestdevelop".utf8): environment = .development
    case Array("appattest".utf8) + [UInt8](repeating: 0, count: 7): environment = .production
    default: environment = nil
    }
    (appHash, counter, category) = try Self.common(bytes, extensions: rest)
  }

  init(assertion bytes: [UInt8]) throws(AttestationRefusal) {
    guard bytes.count >= 37 else { throw .malformed }
    (environment, credential) = (nil, nil)
    (appHash, counter, category) = try Self.common(bytes, extensions: bytes[37...])
  }

  private static func common(
    _ bytes: [UInt8], extensions: ArraySlice<UInt8>
  ) throws(AttestationRefusal) -> (app: [UInt8], counter: Int64, category: Int64?) {
    let counter = bytes[33..<37].reduce(0) { $0 << 8 | Int64($1) }
    guard !extensions.isEmpty else { return (Array(bytes[..<32]), counter, nil) }
    guard let members = try? CBOR(Array(extensions)), case .map = members else { throw .malformed }
    switch members[.text("apple_validation_category_01")] {
    case nil: return (Array(bytes[..<32]), counter, nil)
    case .integer(let category): return (Array(bytes[..<32]), counter, category)
    case .bytes(let category) where category.count == 4:
      return (Array(bytes[..<32]), counter, category.reversed().reduce(0) { $0 << 8 | Int64($1) })
    default: throw .malformed
    }
  }

  func checkApp(_ policy: AttestationPolicy) throws(AttestationRefusal) {
    let isKnown = policy.iosAppIDs.contains { ConstantTime.areEqual(appHash, Array(SHA256.hash(data: Data($0.utf8)))) }
    guard isKnown else { throw .wrongApp }
  }

  /// 3 is a build of a developer.
  func checkCategory(_ policy: AttestationPolicy) throws(AttestationRefusal) {
    guard let category else { return }
    let isBuild = category == 3 && policy.allowsDevelopment
    guard isBuild || policy.iosCategories.contains(category) else { throw .wrongCategory }
  }
}
