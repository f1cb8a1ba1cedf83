import Foundation
import Publishing

extension DataFolder {
  static let signingKeyFile = "signing.key"

  /// The key that signs publications: RINGFENCE_SIGNING_KEY, the file that RINGFENCE_SIGNING_KEY_FILE names, or a file
  /// in the data folder that is made once.
  func signingKey(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> SigningKey {
    if let text = environment["RINGFENCE_SIGNING_KEY"], !text.isEmpty {
      return try Self.signingKey(text, from: "RINGFENCE_SIGNING_KEY")
    }
    if let file = environment["RINGFENCE_SIGNING_KEY_FILE"], !file.isEmpty {
      return try Self.signingKey(file: file)
    }
    let text = try secret(Self.signingKeyFile) { SigningKey().secretText }
    return try Self.signingKey(text, from: "\(path)/\(Self.signingKeyFile)")
  }

  /// The key in a file.
  static func signingKey(file: String) throws -> SigningKey {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandFailure.unreadable("The signing key \(file) cannot be read. Check its name, owner and permissions.")
    }
    return try signingKey(String(decoding: data, as: UTF8.self), from: file)
  }

  private static func signingKey(_ text: String, from place: String) throws -> SigningKey {
    guard let key = SigningKey(text) else {
      throw CommandFailure.failed(
        "\(place) must hold 44 characters of Base64, as ringfence keys create writes them. Restore it from a backup.")
    }
    return key
  }
}
