// SPDX-License-Identifier: Apache-2.0

package import Crypto
package import Foundation
import SwiftASN1

/// DER of values, whose parts can be changed.
package enum Value {
  package static func node(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let length: [UInt8] =
      content.count < 128
      ? [UInt8(content.count)]
      : content.count < 256
        ? [0x81, UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 255)]
    return tag + length + content
  }

  package static func sequence(_ parts: [[UInt8]]) -> [UInt8] { node([0x30], parts.flatMap { $0 }) }
  package static func set(_ parts: [[UInt8]]) -> [UInt8] { node([0x31], parts.flatMap { $0 }) }
  package static func octets(_ bytes: [UInt8]) -> [UInt8] { node([0x04], bytes) }
  /// A string of bits that is one of bytes.
  package static func bits(_ bytes: [UInt8]) -> [UInt8] { node([0x03], [0] + bytes) }
  package static func text(_ text: String) -> [UInt8] { node([0x0C], Array(text.utf8)) }
  package static func integer(_ value: UInt8) -> [UInt8] { [0x02, 0x01, value] }
  package static func enumerated(_ value: UInt8) -> [UInt8] { [0x0A, 0x01, value] }

  package static func member(_ tag: Int, _ value: [UInt8]) -> [UInt8] {
    node(tag < 31 ? [0xA0 | UInt8(tag)] : [0xBF, 0x80 | UInt8(tag >> 7), UInt8(tag & 0x7F)], value)
  }

  package static func identifier(_ parts: [UInt]) -> [UInt8] {
    serialized { try $0.serialize(ASN1ObjectIdentifier(elements: parts)) }
  }

  static func number(_ value: Int64) -> [UInt8] { serialized { try $0.serialize(value) } }

  private static func serialized(_ write: (inout DER.Serializer) throws -> Void) -> [UInt8] {
    var serializer = DER.Serializer()
    try! write(&serializer)
    return serializer.serializedBytes
  }

  /// UTCTime, and from 2050 on GeneralizedTime.
  static func time(_ time: Date) -> [UInt8] {
    let digits = time.formatted(.iso8601).utf8.filter { !"-:T".utf8.contains($0) }
    return digits.starts(with: "19".utf8) || digits.prefix(4).lexicographicallyPrecedes("2050".utf8)
      ? node([0x17], Array(digits.dropFirst(2))) : node([0x18], digits)
  }
}

/// A name in certificates.
package struct Name: Sendable {
  package let der: [UInt8]

  package init(_ common: String, serialNumber: String? = nil) {
    var members: [([UInt], String)] = [([2, 5, 4, 3], common)]
    if let serialNumber { members.append(([2, 5, 4, 5], serialNumber)) }
    der = Value.sequence(
      members.map { type, text in
        Value.set([Value.sequence([Value.identifier(type), Value.text(text)])])
      })
  }
}

/// A private key that signs certificates.
package struct Signer: Sendable {
  /// SubjectPublicKeyInfo.
  package let keyInfo: [UInt8]
  /// AlgorithmIdentifier.
  let algorithm: [UInt8]
  let sign: @Sendable (Data) throws -> Data

  /// - Parameter algorithm: of the signature.
  package init(
    keyInfo: Data, algorithm: [UInt], parameters: [UInt8] = [], sign: @escaping @Sendable (Data) throws -> Data
  ) {
    self.keyInfo = Array(keyInfo)
    self.algorithm = Value.sequence([Value.identifier(algorithm), parameters])
    self.sign = sign
  }

  package init(_ key: P256.Signing.PrivateKey) {
    self.init(keyInfo: key.publicKey.derRepresentation, algorithm: [1, 2, 840, 10_045, 4, 3, 2]) {
      try key.signature(for: $0).derRepresentation
    }
  }

  package init(_ key: P384.Signing.PrivateKey) {
    self.init(keyInfo: key.publicKey.derRepresentation, algorithm: [1, 2, 840, 10_045, 4, 3, 3]) {
      try key.signature(for: $0).derRepresentation
    }
  }
}

/// An extension of a certificate.
package struct Extension: Sendable {
  let der: [UInt8]

  package init(_ identifier: [UInt], isCritical: Bool = false, _ value: [UInt8]) {
    der = Value.sequence([Value.identifier(identifier), isCritical ? [1, 1, 0xFF] : [], Value.octets(value)])
  }

  package static func authority(pathLength: UInt8? = nil) -> Self {
    .init(
      [2, 5, 29, 19], isCritical: true, Value.sequence([[1, 1, 0xFF], pathLength.map { Value.integer($0) } ?? []]))
  }

  package static let noAuthority = Self([2, 5, 29, 19], isCritical: true, Value.sequence([]))

  /// - Parameter bit: 0x80 for signatures, 0x04 for signatures of certificates.
  package static func keyUsage(_ bit: UInt8) -> Self {
    .init([2, 5, 29, 15], isCritical: true, [3, 2, UInt8(bit.trailingZeroBitCount), bit])
  }
}

/// The parts of a certificate, each of which can be changed.
package struct CertificateParts: Sendable {
  package var version = Value.member(0, Value.integer(2))
  package var serialNumber = Value.integer(7)
  package var algorithm: [UInt8]
  package var issuer: [UInt8]
  package var times: [UInt8]
  package var subject: [UInt8]
  package var keyInfo: [UInt8]
  /// DER of each.
  package var extensions: [[UInt8]] = []
  package var more: [UInt8] = []
  /// Outside of what is signed.
  package var outerAlgorithm: [UInt8]
  package var signature: @Sendable ([UInt8]) -> [UInt8] = { Value.bits($0) }
  private let signer: Signer

  package init(
    _ keyInfo: [UInt8], _ subject: Name, by issuer: Name, _ signer: Signer, days: ClosedRange<Double> = -1...2
  ) {
    (self.keyInfo, self.subject, self.issuer, self.signer) = (keyInfo, subject.der, issuer.der, signer)
    (algorithm, outerAlgorithm) = (signer.algorithm, signer.algorithm)
    times = Value.sequence(
      [days.lowerBound, days.upperBound].map { Value.time(Maker.time + $0 * 86_400) })
  }

  package func der() throws -> [UInt8] {
    let signed = Value.sequence([
      version, serialNumber, algorithm, issuer, times, subject, keyInfo,
      extensions.isEmpty ? [] : Value.member(3, Value.sequence(extensions)), more,
    ])
    return Value.sequence([signed, outerAlgorithm, signature(Array(try signer.sign(Data(signed))))])
  }
}

/// Certificates of a maker of the test's own, whose properties can be changed one by one.
package struct Maker: Sendable {
  package static let time = Date(timeIntervalSince1970: 1_795_000_000)

  package let root = P384.Signing.PrivateKey()
  package let issuer = P384.Signing.PrivateKey()
  package var rootName = Name("Test Root")
  /// With a serial number, as Google names a batch of a factory.
  package var issuerName = Name("Test Issuer", serialNumber: "f92009")

  package init() {}

  /// DER.
  package static func certificate(
    _ key: Signer, _ subject: Name, by issuer: Name, _ signer: Signer, days: ClosedRange<Double> = -1...2,
    serial: Int64 = 7, extensions: [Extension] = []
  ) throws -> [UInt8] {
    var parts = CertificateParts(key.keyInfo, subject, by: issuer, signer, days: days)
    parts.serialNumber = Value.number(serial)
    parts.extensions = extensions.map(\.der)
    return try parts.der()
  }

  package func rootCertificate() throws -> [UInt8] {
    try Self.certificate(
      .init(root), rootName, by: rootName, .init(root), days: -400...4_000, extensions: [.authority()])
  }

  package static func pem(_ certificate: [UInt8]) -> String {
    PEMDocument(type: "CERTIFICATE", derBytes: certificate).pemString
  }
}
