// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import Publishing

extension DataFolder {
  static let signingKeyFile = "signing.key"

  /// The key that signs publications, from the settings or from a file in the data folder that is created once.
  func signingKey() throws -> SigningKey {
    if try settings.signingKey == nil { try finishRotation() }
    return try key(Self.signingKeyFile, \.signingKey) { SigningKey().secretText }
  }

  /// The signing key; nil if there is none yet.
  func presentSigningKey() throws -> SigningKey? {
    guard try settings.signingKey != nil || storedSecret(Self.signingKeyFile) != nil else { return nil }
    return try signingKey()
  }

  /// The existing signing key.
  /// - Throws: ``CommandFailure`` if there is none; a new key would not help the caller.
  func keyThatSigns() throws -> SigningKey {
    guard let key = try presentSigningKey() else {
      throw CommandFailure.failed("There is no signing key. Create one with: ringfence keys create")
    }
    return key
  }

  /// The current signing key, and the next one if a rotation was interrupted. Changes nothing.
  func signingKeysToLookAt() throws -> [SigningKey] {
    if let key = try settings.signingKey { return [key] }
    return try [Self.signingKeyFile, Self.nextFile].compactMap { name in
      try storedSecret(name).map { try Self.signingKey($0, from: "\(path)/\(name)") }
    }
  }

  /// Stores a key as this folder's signing key.
  /// - Returns: the stored key, which differs if another process stored its own first.
  func makeSigningKey(_ key: SigningKey) throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.signingKeyFile) { key.secretText }, from: "\(path)/\(Self.signingKeyFile)")
  }

  private static let nextFile = "signing.key.next"

  /// A new key, stored before any root lists it, because a listed key that is lost could not be replaced.
  func nextSigningKey() throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.nextFile) { SigningKey().secretText }, from: "\(path)/\(Self.nextFile)")
  }

  /// Replaces the signing key with a key that a root lists, and deletes the old one.
  func adopt(_ key: SigningKey) throws {
    try replaceSecret(Self.signingKeyFile, with: key.secretText)
    unlink("\(path)/\(Self.nextFile)")
  }

  /// Adopts the next key if a root already lists it, because the rotating process was interrupted.
  private func finishRotation() throws {
    guard let text = try storedSecret(Self.nextFile), let next = SigningKey(text),
      let root = try? PublicationFolder(path: publications).root(), root.keys.contains(next.verifying)
    else { return }
    try adopt(next)
  }

  /// Reads the key in a file.
  static func signingKey(file: String) throws -> SigningKey {
    try signingKey(try Settings.secret(in: file), from: file)
  }

  private static func signingKey(_ text: String, from place: String) throws -> SigningKey {
    guard let key = SigningKey(text) else {
      throw CommandFailure.failed(
        "\(place) must hold 44 characters of Base64, as ringfence keys create writes them. Restore it from a backup.")
    }
    return key
  }
}
