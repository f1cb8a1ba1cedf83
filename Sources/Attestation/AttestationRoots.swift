// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import SwiftASN1

/// The certificates and keys that end the chains of genuine phones.
package struct AttestationRoots: Sendable {
  /// Apple's roots, which phones do not send.
  let apple: [Certificate]
  /// The SHA-256 of the keys of Google's roots, as SubjectPublicKeyInfo. Google has certified one key several times.
  let android: Set<[UInt8]>

  /// A file of roots that cannot be used.
  package struct Unusable: Error, Equatable {
    /// The number of the certificate in the file, from 1; 0 for a file that is not PEM or has no certificate.
    package let certificate: Int
  }

  /// The roots that this version knows. New ones come with a new version.
  package static let known: AttestationRoots = {
    guard let bytes = Data(base64Encoded: appleRoot), let root = try? Certificate(Array(bytes)),
      Array(SHA256.hash(data: bytes)) == appleFingerprint
    else { preconditionFailure("the certificate of Apple's root is not the one that was reviewed") }
    return AttestationRoots(apple: [root], android: Set(googleKeys))
  }()

  /// Roots from files of PEM, in place of the known ones.
  /// - Parameters:
  ///   - apple: the text of a file; nil keeps the known root.
  ///   - android: the text of a file; nil keeps the known roots.
  /// - Throws: ``Unusable`` for a text without certificates, and for one that has not signed itself.
  package init(apple: String? = nil, android: String? = nil) throws(Unusable) {
    self.init(
      apple: try apple.map(Self.certificates) ?? Self.known.apple,
      android: try android.map { text throws(Unusable) in Set(try Self.certificates(text).map(Self.fingerprint)) }
        ?? Self.known.android)
  }

  private init(apple: [Certificate], android: Set<[UInt8]>) {
    (self.apple, self.android) = (apple, android)
  }

  /// The SHA-256 of a certificate's SubjectPublicKeyInfo.
  static func fingerprint(_ certificate: Certificate) -> [UInt8] {
    Array(SHA256.hash(data: certificate.keyInfo))
  }

  private static func certificates(_ text: String) throws(Unusable) -> [Certificate] {
    // Lines may have any length: some programs write 76 columns instead of 64.
    let parts = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
    guard !parts.isEmpty else { throw Unusable(certificate: 0) }
    var certificates: [Certificate] = []
    for (place, part) in parts.enumerated() {
      guard let end = part.range(of: "-----END CERTIFICATE-----"),
        let bytes = Data(base64Encoded: String(part[..<end.lowerBound].filter { !$0.isWhitespace })),
        let certificate = try? Certificate(Array(bytes)), certificate.isSignedByItself
      else { throw Unusable(certificate: place + 1) }
      certificates.append(certificate)
    }
    return certificates
  }

  /// Apple App Attestation Root CA, to 2045 (apple.com/certificateauthority/Apple_App_Attestation_Root_CA.pem).
  private static let appleRoot =
    "MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYwJAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdC"
    + "BDQTETMBEGA1UECgwKQXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNaFw00NTAzMTUwMDAwMDBaMFIxJj"
    + "AkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlvbiBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9ybmlhMH"
    + "YwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdhNbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cL"
    + "iP1sOUtgjqK9auYen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSskRBTM72+aEH/pw"
    + "yp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn53O5+FRXge"
    + "LhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijVoyFraWVIyd/dganmrduC1bmTBGwD"
  private static let appleFingerprint = bytes("1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932")

  /// The RSA key with the serial number f92009e853b6b045, and the P-384 key "Key Attestation CA1" of 2025
  /// (developer.android.com/privacy-and-security/security-key-attestation).
  private static let googleKeys = [
    bytes("feb2ea7551ee316ed4bb443c8293b884dbfdea40b603ee3e4f4a897e4580fbae"),
    bytes("3ee44512a1af2beb39c889490c60ea3f82e43f5d5a5532f5ab9419f676cd07ec"),
  ]

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    Hexadecimal.bytes(hexadecimal) ?? []
  }
}
