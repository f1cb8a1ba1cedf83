// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Support

/// A certificate (RFC 5280, section 4.1): the members that decide whether a chain of a phone holds.
struct Certificate: Sendable {
  /// A key of an algorithm that phones and their makers use.
  enum Key: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
  }

  struct Extension: Sendable {
    let identifier: ASN1ObjectIdentifier
    let isCritical: Bool
    let value: ArraySlice<UInt8>
  }

  enum Problem: Error {
    case malformed
    /// The key has another algorithm or another curve.
    case unsupportedKey
  }

  let bytes: [UInt8]
  /// Big-endian.
  let serialNumber: ArraySlice<UInt8>
  /// Names as they came: a certificate has the name of its issuer byte by byte.
  let issuer: ArraySlice<UInt8>
  let subject: ArraySlice<UInt8>
  let subjectTypes: [ASN1ObjectIdentifier]
  let notBefore: Date
  let notAfter: Date
  /// SubjectPublicKeyInfo.
  let keyInfo: ArraySlice<UInt8>
  let key: Key
  let extensions: [Extension]
  private let signed: ArraySlice<UInt8>
  private let algorithm: ASN1ObjectIdentifier
  private let signature: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) throws(Problem) {
    do {
      try self.init(bytes, root: try DER.parse(bytes))
    } catch let problem as Problem {
      throw problem
    } catch {
      throw .malformed
    }
  }

  private init(_ bytes: [UInt8], root: ASN1Node) throws {
    let parts = try root.members(.sequence)
    guard parts.count == 3 else { throw Problem.malformed }
    var members = try parts[0].members(.sequence)[...]
    // From version 2 on.
    if members.first?.identifier == .explicit(0) { _ = members.removeFirst() }
    guard members.count >= 6 else { throw Problem.malformed }
    let head = Array(members.prefix(6))
    var rest = members.dropFirst(6)
    // Identifiers of issuer and subject, which nobody uses.
    while let tag = rest.first?.identifier, tag == .implicit(1) || tag == .implicit(2) { _ = rest.removeFirst() }
    guard rest.count <= 1 else { throw Problem.malformed }

    self.bytes = bytes
    signed = parts[0].encodedBytes
    serialNumber = try head[0].content(of: .integer)
    // The algorithm is outside of the signature once more.
    guard head[1].encodedBytes == parts[1].encodedBytes else { throw Problem.malformed }
    algorithm = try parts[1].algorithm().identifier
    (issuer, subject) = (head[2].encodedBytes, head[4].encodedBytes)
    _ = try head[2].typesOfName()
    subjectTypes = try head[4].typesOfName()
    let times = try head[3].members(.sequence)
    guard times.count == 2 else { throw Problem.malformed }
    (notBefore, notAfter) = (try times[0].time(), try times[1].time())
    keyInfo = head[5].encodedBytes
    extensions = try rest.first.map { try Self.extensions($0) } ?? []
    signature = try parts[2].bits()
    key = try Key(head[5])
  }

  private static func extensions(_ node: ASN1Node) throws -> [Extension] {
    let lists = try node.members(.explicit(3))
    guard lists.count == 1 else { throw Problem.malformed }
    let extensions = try lists[0].members(.sequence).map { node in
      let members = try node.members(.sequence)
      guard (2...3).contains(members.count), let value = members.last else { throw Problem.malformed }
      return Extension(
        identifier: try ASN1ObjectIdentifier(derEncoded: members[0]),
        isCritical: try members.count == 3 && members[1].flag(), value: try value.content(of: .octetString))
    }
    // The first of two could say something else than the second.
    guard Set(extensions.map(\.identifier)).count == extensions.count else { throw Problem.malformed }
    return extensions
  }

  /// The value of an extension.
  func value(of identifier: ASN1ObjectIdentifier) -> ArraySlice<UInt8>? {
    extensions.first { $0.identifier == identifier }?.value
  }

  /// Whether basic constraints say that the certificate may issue others.
  var isAuthority: Bool {
    guard let value = value(of: .basicConstraints),
      let first = try? DER.parse(value).members(.sequence).first
    else { return false }
    return first.identifier == .boolean && (try? first.flag()) == true
  }

  /// Whether the key may sign certificates: without the extension each key may.
  var signsCertificates: Bool {
    guard let value = value(of: .keyUsage) else { return true }
    guard let node = try? DER.parse(value), let bits = try? ASN1BitString(derEncoded: node) else { return false }
    return bits.bytes.first.map { $0 & 0x04 != 0 } ?? false
  }

  var hasOnlyKnownCriticalExtensions: Bool {
    extensions.allSatisfy { !$0.isCritical || $0.identifier == .basicConstraints || $0.identifier == .keyUsage }
  }

  func isSigned(by issuer: Certificate) -> Bool {
    let digest: any Digest
    switch algorithm {
    case .ecdsaWithSHA256, .rsaWithSHA256: digest = SHA256.hash(data: signed)
    case .ecdsaWithSHA384, .rsaWithSHA384: digest = SHA384.hash(data: signed)
    case .ecdsaWithSHA512, .rsaWithSHA512: digest = SHA512.hash(data: signed)
    default: return false
    }
    let isRSA = [.rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512].contains(algorithm)
    return issuer.key.isRSA == isRSA && issuer.key.isValid(signature, for: digest)
  }

  /// A certificate with the name and the key of a root, and other content, circulates. Its signature does not verify.
  var isSignedByItself: Bool { issuer == subject && isSigned(by: self) }
}

extension Certificate.Key {
  fileprivate init(_ node: ASN1Node) throws {
    let members = try node.members(.sequence)
    guard members.count == 2 else { throw Certificate.Problem.malformed }
    let (algorithm, parameters) = try members[0].algorithm()
    let bits = try members[1].bits()
    switch (algorithm, parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }) {
    case (.ellipticCurve, .p256?): self = .p256(try P256.Signing.PublicKey(x963Representation: bits))
    case (.ellipticCurve, .p384?): self = .p384(try P384.Signing.PublicKey(x963Representation: bits))
    case (.ellipticCurve, .p521?): self = .p521(try P521.Signing.PublicKey(x963Representation: bits))
    case (.rsa, _): self = .rsa(try _RSA.Signing.PublicKey(derRepresentation: node.encodedBytes))
    default: throw Certificate.Problem.unsupportedKey
    }
  }

  fileprivate var isRSA: Bool {
    if case .rsa = self { true } else { false }
  }

  fileprivate func isValid(_ signature: ArraySlice<UInt8>, for digest: some Digest) -> Bool {
    switch self {
    case .p256(let key):
      (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map { key.isValidSignature($0, for: digest) }
        ?? false
    case .p384(let key):
      (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map { key.isValidSignature($0, for: digest) }
        ?? false
    case .p521(let key):
      (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map { key.isValidSignature($0, for: digest) }
        ?? false
    case .rsa(let key):
      key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
    }
  }
}

extension Certificate: Equatable {
  static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }
}

extension ASN1ObjectIdentifier {
  fileprivate static let basicConstraints: Self = [2, 5, 29, 19]
  fileprivate static let keyUsage: Self = [2, 5, 29, 15]
  fileprivate static let ellipticCurve: Self = [1, 2, 840, 10_045, 2, 1]
  fileprivate static let p256: Self = [1, 2, 840, 10_045, 3, 1, 7]
  fileprivate static let p384: Self = [1, 3, 132, 0, 34]
  fileprivate static let p521: Self = [1, 3, 132, 0, 35]
  fileprivate static let rsa: Self = [1, 2, 840, 113_549, 1, 1, 1]
  fileprivate static let ecdsaWithSHA256: Self = [1, 2, 840, 10_045, 4, 3, 2]
  fileprivate static let ecdsaWithSHA384: Self = [1, 2, 840, 10_045, 4, 3, 3]
  fileprivate static let ecdsaWithSHA512: Self = [1, 2, 840, 10_045, 4, 3, 4]
  fileprivate static let rsaWithSHA256: Self = [1, 2, 840, 113_549, 1, 1, 11]
  fileprivate static let rsaWithSHA384: Self = [1, 2, 840, 113_549, 1, 1, 12]
  fileprivate static let rsaWithSHA512: Self = [1, 2, 840, 113_549, 1, 1, 13]
}

extension ASN1Node {
  /// AlgorithmIdentifier.
  fileprivate func algorithm() throws -> (identifier: ASN1ObjectIdentifier, parameters: ASN1Node?) {
    let members = try members(.sequence)
    guard (1...2).contains(members.count) else { throw Certificate.Problem.malformed }
    return (try ASN1ObjectIdentifier(derEncoded: members[0]), members.count == 2 ? members[1] : nil)
  }

  /// The content of a string of bits that is one of bytes.
  fileprivate func bits() throws -> ArraySlice<UInt8> {
    let bits = try ASN1BitString(derEncoded: self)
    guard bits.paddingBits == 0 else { throw Certificate.Problem.malformed }
    return bits.bytes
  }

  fileprivate func typesOfName() throws -> [ASN1ObjectIdentifier] {
    try members(.sequence).flatMap { part in
      try part.members(.set).map { node in
        let members = try node.members(.sequence)
        guard members.count == 2 else { throw Certificate.Problem.malformed }
        return try ASN1ObjectIdentifier(derEncoded: members[0])
      }
    }
  }

  /// UTCTime or GeneralizedTime in the form of certificates: digits to the second, and Z.
  fileprivate func time() throws -> Date {
    let isShort = identifier == .utcTime
    var digits = Array(try content(of: isShort ? .utcTime : .generalizedTime))
    // Two digits mean a year from 1950 to 2049.
    if isShort { digits = Array((digits.first ?? 0 >= UInt8(ascii: "5") ? "19" : "20").utf8) + digits }
    guard digits.count == 15 else { throw Certificate.Problem.malformed }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    let text =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))\(part(14..<15))"
    guard let time = Timestamp.document(text) else { throw Certificate.Problem.malformed }
    return time
  }
}

extension ASN1Identifier {
  fileprivate static func explicit(_ number: UInt) -> Self { .init(tagWithNumber: number, tagClass: .contextSpecific) }
  fileprivate static func implicit(_ number: UInt) -> Self { explicit(number) }
}
