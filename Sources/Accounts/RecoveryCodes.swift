// SPDX-License-Identifier: Apache-2.0

/// Recovery codes for a lost authenticator app: ten, of nearly 50 random bits each, shown once.
public enum RecoveryCodes {
  /// Number of codes for an account.
  public static let count = 10

  /// New codes, such as `k3xq7-mn2pa`.
  public static func make() -> [String] {
    // Without i, l, o and 1, 0, which look alike.
    let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")
    return (0..<count).map { _ in
      let letters = (0..<10).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }
      return String(letters.prefix(5)) + "-" + String(letters.suffix(5))
    }
  }

  /// Normalizes a typed code by removing additional characters; nil when it cannot be a code.
  public static func normalised(_ typed: String) -> String? {
    let letters = typed.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return letters.count == 10 ? "\(letters.prefix(5))-\(letters.suffix(5))" : nil
  }

  /// The stored hashes of codes.
  public static func hashes(_ codes: [String], key: AccountKey) -> [[UInt8]] { codes.map(key.recovery) }
}
