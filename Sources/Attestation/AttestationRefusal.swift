// SPDX-License-Identifier: Apache-2.0

/// The reason why an attestation or an assertion is refused. The raw value is the code in the API and in metrics.
public enum AttestationRefusal: String, Error, CaseIterable, Sendable {
  // Both systems.
  case platformNotConfigured = "platform_not_configured"
  case tooLarge = "too_large"
  case challengeInvalid = "challenge_invalid"
  case challengeExpired = "challenge_expired"
  case challengeUsed = "challenge_used"
  case malformed
  case unsupportedCertificate = "unsupported_certificate"
  case nameChaining = "name_chaining"
  case badSignature = "bad_signature"
  case unknownRoot = "unknown_root"
  case notYetValid = "not_yet_valid"
  case expired
  case unsupportedKey = "unsupported_key"
  /// No installation has the key that asks for a renewal.
  case unknownInstallation = "unknown_installation"
  // iOS.
  case wrongFormat = "wrong_format"
  case notACA = "not_a_ca"
  case leafIsACA = "leaf_is_a_ca"
  case nonceMissing = "nonce_missing"
  case nonceMismatch = "nonce_mismatch"
  case keyIDMismatch = "key_id_mismatch"
  case wrongApp = "wrong_app"
  case counterNotZero = "counter_not_zero"
  case wrongEnvironment = "wrong_environment"
  case credentialIDMismatch = "credential_id_mismatch"
  case credentialKeyMismatch = "credential_key_mismatch"
  case wrongCategory = "wrong_category"
  case counterNotGreater = "counter_not_greater"
  // Android.
  case chainLength = "chain_length"
  case revoked
  case noKeyDescription = "no_key_description"
  case extendedChain = "extended_chain"
  case malformedKeyDescription = "malformed_key_description"
  case challengeMismatch = "challenge_mismatch"
  case softwareLevel = "software_level"
  case levelTooLow = "level_too_low"
  case noRootOfTrust = "no_root_of_trust"
  case bootNotVerified = "boot_not_verified"
  case bootloaderUnlocked = "bootloader_unlocked"
  case keyNotGenerated = "key_not_generated"
  case keyCannotSign = "key_cannot_sign"
  case noApplicationID = "no_application_id"
  case wrongPackage = "wrong_package"
  case wrongSigner = "wrong_signer"

  public enum Retry: String, Sendable {
    /// Another phone or another build of the app is needed.
    case never
    case withNewKey = "with_new_key"
    case withNewChallenge = "with_new_challenge"
    /// The clock of the server, or the certificate of the phone, changes with time.
    case later
  }

  public var retry: Retry {
    switch self {
    case .challengeInvalid, .challengeExpired, .challengeUsed, .counterNotGreater: .withNewChallenge
    case .expired, .nonceMismatch, .challengeMismatch, .keyIDMismatch, .counterNotZero, .unknownInstallation,
      .keyNotGenerated, .keyCannotSign, .credentialIDMismatch, .credentialKeyMismatch, .badSignature:
      .withNewKey
    case .notYetValid: .later
    default: .never
    }
  }
}
