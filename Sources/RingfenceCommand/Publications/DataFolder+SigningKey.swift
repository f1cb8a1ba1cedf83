import CallerPack
import Foundation
import Publishing

extension DataFolder {
  static let signingKeyFile = "signing.key"

  /// The key that signs publications: from the settings, or from a file in the data folder that is made once.
  func signingKey() throws -> SigningKey {
    if try settings.signingKey == nil { try finishRotation() }
    return try key(Self.signingKeyFile, \.signingKey) { SigningKey().secretText }
  }

  /// The key that signs here, if there is one yet.
  func presentSigningKey() throws -> SigningKey? {
    guard try settings.signingKey != nil || storedSecret(Self.signingKeyFile) != nil else { return nil }
    return try signingKey()
  }

  /// The key that signs here.
  /// - Throws: ``CommandFailure`` where there is none yet.
  func keyThatSigns() throws -> SigningKey {
    guard let key = try presentSigningKey() else {
      throw CommandFailure.failed("There is no signing key. Create one with: ringfence keys create")
    }
    return key
  }

  /// The keys that sign here, or will when a rotation that was broken off is finished. Changes nothing.
  func signingKeysToLookAt() throws -> [SigningKey] {
    if let key = try settings.signingKey { return [key] }
    return try [Self.signingKeyFile, Self.nextFile].compactMap { name in
      try storedSecret(name).map { try Self.signingKey($0, from: "\(path)/\(name)") }
    }
  }

  /// Stores a key as the one of this folder.
  /// - Returns: the key of the folder, which is another one where another process stored its own first.
  func makeSigningKey(_ key: SigningKey) throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.signingKeyFile) { key.secretText }, from: "\(path)/\(Self.signingKeyFile)")
  }

  private static let nextFile = "signing.key.next"

  /// A new key, kept before any root lists it: a key that is listed and lost could not be replaced.
  func nextSigningKey() throws -> SigningKey {
    try Self.signingKey(
      try secret(Self.nextFile) { SigningKey().secretText }, from: "\(path)/\(Self.nextFile)")
  }

  /// Puts a key that a root lists in the place of the one before, which is gone then.
  func adopt(_ key: SigningKey) throws {
    try replaceSecret(Self.signingKeyFile, with: key.secretText)
    unlink("\(path)/\(Self.nextFile)")
  }

  /// Adopts the next key when a root lists it already: the process that rotated ended in between.
  private func finishRotation() throws {
    guard let text = try storedSecret(Self.nextFile), let next = SigningKey(text),
      let root = try? PublicationFolder(path: publications).root(), root.keys.contains(next.verifying)
    else { return }
    try adopt(next)
  }

  /// The key in a file.
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
