// SPDX-License-Identifier: Apache-2.0

package import Curation
import Crypto
package import Foundation
import SwiftASN1

/// Android Key Attestation (Google, "Verify hardware-backed key pairs with key attestation").
package enum KeyAttestation {
  private static let chainLengths = 3...6
  private static let purposeSign = 2

  /// Checks a chain that ends with the key of an app.
  /// - Parameters:
  ///   - chain: DER, the leaf first and the root last.
  ///   - challenge: that the server has made for it.
  ///   - revoked: the list of revoked certificates; nil without a list that is new enough. The key then counts as one that
  ///     no hardware guards.
  /// - Throws: the first check that fails.
  package static func verify(
    _ chain: [[UInt8]], challenge: [UInt8], policy: AttestationPolicy, roots: AttestationRoots,
    revoked: RevocationList?, at time: Date
  ) throws(AttestationRefusal) -> AttestedKey {
    guard !policy.androidPackages.isEmpty else { throw .platformNotConfigured }
    guard chainLengths.contains(chain.count) else { throw .chainLength }
    let certificates = try parsed(chain)
    guard let root = certificates.last, roots.android.contains(AttestationRoots.fingerprint(root)),
      root.isSignedByItself
    else { throw .unknownRoot }
    try AttestationChain(certificates).checkSignatures()
    // The dates of the leaf are the phone's own, and a factory's certificates count after their end.
    let middle = certificates.dropFirst().dropLast()
    let isOfFactory = middle.last.map(hasSerialNumber) ?? false
    try AttestationChain.checkDates(of: middle, at: time, ignoringEnd: isOfFactory)
    if let revoked, certificates.contains(where: { revoked.contains($0.serialNumber) }) { throw .revoked }
    let leaf = certificates[0]
    guard let value = leaf.value(of: KeyDescription.identifier) else {
      throw .noKeyDescription
    }
    // An attested key could sign a further certificate with an invented description.
    let isExtended = certificates.dropFirst().contains { $0.value(of: KeyDescription.identifier) != nil }
    guard !isExtended else { throw .extendedChain }
    guard let point = AttestationChain.point(of: leaf) else { throw .unsupportedKey }
    let description = try KeyDescription(value)
    guard ConstantTime.areEqual(description.challenge, challenge) else { throw .challengeMismatch }
    try check(description, policy)
    return AttestedKey(publicKey: point, isHardware: description.level >= 1 && revoked != nil)
  }

  /// Checks the signature that renews a token: the bytes before the challenge keep it from having another meaning.
  package static func verify(
    signature: [UInt8], by publicKey: [UInt8], message: [UInt8], policy: AttestationPolicy
  ) throws(AttestationRefusal) {
    guard !policy.androidPackages.isEmpty else { throw .platformNotConfigured }
    guard signature.count <= 80 else { throw .tooLarge }
    guard AttestedKey.isValid(signature, for: message, by: publicKey) else { throw .badSignature }
  }

  private static func check(_ description: KeyDescription, _ policy: AttestationPolicy) throws(AttestationRefusal) {
    guard description.level >= 1 || policy.allowsSoftware else { throw .softwareLevel }
    guard description.level < 1 || description.attestationLevel == description.keyLevel else { throw .levelTooLow }
    // Software describes its system in neither list.
    if description.level >= 1 {
      guard let root = description.rootOfTrust else { throw .noRootOfTrust }
      guard root.bootState == 0 else { throw .bootNotVerified }
      guard root.isLocked else { throw .bootloaderUnlocked }
      guard description.origin == 0 else { throw .keyNotGenerated }
      guard description.purposes.contains(purposeSign) else { throw .keyCannotSign }
    }
    guard let application = description.application else { throw .noApplicationID }
    guard application.packages.count == 1,
      let digests = policy.androidPackages[String(decoding: application.packages[0], as: UTF8.self)]
    else { throw .wrongPackage }
    let found = Set(application.digests.map(Hexadecimal.text))
    guard !found.isEmpty, found.isSubset(of: digests) else { throw .wrongSigner }
  }

  private static func parsed(_ chain: [[UInt8]]) throws(AttestationRefusal) -> [Certificate] {
    var certificates: [Certificate] = []
    guard chain.allSatisfy({ $0.count <= AttestationChain.maxCertificateBytes }) else { throw .tooLarge }
    // A root that cannot be read is not one of ours.
    guard let root = try? Certificate(chain[chain.count - 1]) else { throw .unknownRoot }
    for (place, bytes) in chain.dropLast().enumerated() {
      do {
        certificates.append(try AttestationChain.certificate(bytes))
      } catch .unsupportedKey where place > 0 {
        // The app chooses the key of the leaf alone.
        throw .unsupportedCertificate
      } catch {
        throw error
      }
    }
    return certificates + [root]
  }

  /// Whether the subject of a certificate has a serial number (2.5.4.5): Google's name for a batch of a factory.
  private static func hasSerialNumber(_ certificate: Certificate) -> Bool {
    certificate.subjectTypes.contains([2, 5, 4, 5])
  }
}
