// SPDX-License-Identifier: Apache-2.0

public import Foundation

#if canImport(DeviceCheck)
  import DeviceCheck
#endif

/// A phone's way to prove that a genuine app runs on it. Tests replace it.
public protocol DeviceAttestation: Sendable {
  /// Whether the phone can attest. App extensions and the simulator cannot.
  var isSupported: Bool { get }
  /// Creates a key in the secure hardware.
  /// - Returns: the identifier of the key.
  func makeKey() async throws -> String
  /// Returns Apple's statement about a key. It asks Apple over the network, once for each key.
  /// - Parameters:
  ///   - key: the identifier.
  ///   - hash: 32 bytes.
  /// - Throws: ``ClientError`` where the key can be used again later; any other error for a key that cannot.
  func attest(_ key: String, hash: Data) async throws -> Data
  /// Signs with a key, without the network.
  /// - Parameters:
  ///   - key: the identifier.
  ///   - hash: 32 bytes.
  /// - Throws: ``ClientError`` where the key can be used again later; any other error for a key that is gone.
  func assert(_ key: String, hash: Data) async throws -> Data
}

/// App Attest. On other systems than Apple's, and on phones without it, it is not supported, and the client sends reports
/// without attestation.
public struct AppAttestation: DeviceAttestation {
  /// Creates the value.
  public init() {}

  /// Whether the phone and the process can attest.
  public var isSupported: Bool {
    #if canImport(DeviceCheck)
      DCAppAttestService.shared.isSupported
    #else
      false
    #endif
  }

  /// Creates a key in the Secure Enclave.
  public func makeKey() async throws -> String {
    #if canImport(DeviceCheck)
      try await DCAppAttestService.shared.generateKey()
    #else
      throw Unsupported()
    #endif
  }

  /// Returns Apple's attestation object.
  /// - Throws: ``ClientError/network(_:)`` where Apple does not answer; the key can be used again then.
  public func attest(_ key: String, hash: Data) async throws -> Data {
    #if canImport(DeviceCheck)
      do {
        return try await DCAppAttestService.shared.attestKey(key, clientDataHash: hash)
      } catch let error as DCError where error.code == .serverUnavailable {
        throw ClientError.network("Apple's server does not answer.")
      }
    #else
      throw Unsupported()
    #endif
  }

  /// Returns an assertion, whose counter grows with each one.
  /// - Throws: ``ClientError/network(_:)`` where the system fails and the key is there.
  public func assert(_ key: String, hash: Data) async throws -> Data {
    #if canImport(DeviceCheck)
      do {
        return try await DCAppAttestService.shared.generateAssertion(key, clientDataHash: hash)
      } catch let error as DCError where [.unknownSystemFailure, .serverUnavailable].contains(error.code) {
        throw ClientError.network("App Attest does not sign now.")
      }
    #else
      throw Unsupported()
    #endif
  }

  #if !canImport(DeviceCheck)
    /// The error of a system without App Attest.
    private struct Unsupported: Error {}
  #endif
}
