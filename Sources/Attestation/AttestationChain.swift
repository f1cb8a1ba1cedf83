// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// A key that a phone has made for an app, as its maker vouches for it.
package struct AttestedKey: Sendable, Equatable {
  /// The point of P-256: 04, X and Y, 65 bytes.
  package let publicKey: [UInt8]
  package let isHardware: Bool

  package static func keyID(of publicKey: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: publicKey)) }

  /// Whether the key has signed a message with ECDSA and SHA-256.
  /// - Parameter signature: in DER.
  static func isValid(_ signature: [UInt8], for message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey),
      let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: Data(message))
  }
}

/// Certificates, the leaf first, whose names, signatures and dates are checked one by one, so that each refusal has its own
/// code. The rules of RFC 5280 for a chain refuse a third of the phones in use, whose makers omit basic constraints.
struct AttestationChain {
  static let maxCertificateBytes = 4_096

  let certificates: [Certificate]

  init(_ certificates: [Certificate]) {
    self.certificates = certificates
  }

  /// - Throws: ``AttestationRefusal/tooLarge``, ``AttestationRefusal/unsupportedCertificate`` or
  /// ``AttestationRefusal/unsupportedKey``.
  static func certificate(_ bytes: [UInt8]) throws(AttestationRefusal) -> Certificate {
    guard bytes.count <= maxCertificateBytes else { throw .tooLarge }
    do {
      return try Certificate(bytes)
    } catch {
      switch error {
      case .malformed: throw .unsupportedCertificate
      case .unsupportedKey: throw .unsupportedKey
      }
    }
  }

  /// Checks from the last certificate to the leaf that each one is named and signed by the next one.
  func checkSignatures() throws(AttestationRefusal) {
    for place in certificates.indices.dropLast().reversed() {
      let (certificate, issuer) = (certificates[place], certificates[place + 1])
      guard certificate.issuer == issuer.subject else { throw .nameChaining }
      guard certificate.isSigned(by: issuer) else { throw .badSignature }
    }
  }

  /// - Parameter ignoringEnd: whether certificates count after their end.
  static func checkDates(
    of certificates: some Sequence<Certificate>, at time: Date, ignoringEnd: Bool = false
  ) throws(AttestationRefusal) {
    for certificate in certificates {
      guard certificate.notBefore <= time else { throw .notYetValid }
      guard ignoringEnd || time <= certificate.notAfter else { throw .expired }
    }
  }

  /// The point of a certificate's key; nil for another key than one of P-256.
  static func point(of certificate: Certificate) -> [UInt8]? {
    guard case .p256(let key) = certificate.key else { return nil }
    return Array(key.x963Representation)
  }
}
