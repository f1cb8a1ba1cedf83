// SPDX-License-Identifier: Apache-2.0

/// The level to which a phone has proved that a genuine app sends its reports. The raw values are stored.
public enum AttestationLevel: Int16, Sendable, CaseIterable, Codable {
  /// The maker of the phone vouches for the key, but not for hardware that guards it, or its revocation was not checked.
  case software = 1
  /// The key is in the secure hardware of a phone that started a verified system.
  case hardware = 2

  /// The name in the API and in texts.
  public var name: String { self == .hardware ? "hardware" : "software" }
}

/// The installations of an app that may attest: which builds of the app, and how strictly.
public struct AttestationPolicy: Sendable, Equatable, Codable {
  /// App IDs of iOS, such as `A1B2C3D4E5.org.example.app`.
  public var iosAppIDs: [String]
  /// Whether builds of iOS that were not distributed may attest: Apple's development environment.
  public var allowsDevelopment: Bool
  /// The ways of Apple's distribution that may attest, from iOS 27 on: 2 TestFlight, 4 App Store, 5 enterprise.
  public var iosCategories: Set<Int64>
  /// SHA-256 of the signing certificates of each Android package, 64 hex digits in lower case.
  public var androidPackages: [String: [String]]
  /// Whether Android keys may attest that no hardware guards.
  public var allowsSoftware: Bool

  enum CodingKeys: String, CodingKey {
    case iosAppIDs = "ios_app_ids"
    case allowsDevelopment = "allows_development"
    case iosCategories = "ios_categories"
    case androidPackages = "android_packages"
    case allowsSoftware = "allows_software"
  }

  /// TestFlight and the App Store.
  public static let usualCategories: Set<Int64> = [2, 4]
  /// The most App IDs, and the most packages.
  public static let maxBuilds = 20

  public init(
    iosAppIDs: [String] = [], allowsDevelopment: Bool = false, iosCategories: Set<Int64> = usualCategories,
    androidPackages: [String: [String]] = [:], allowsSoftware: Bool = false
  ) {
    self.iosAppIDs = iosAppIDs
    self.allowsDevelopment = allowsDevelopment
    self.iosCategories = iosCategories
    self.androidPackages = androidPackages
    self.allowsSoftware = allowsSoftware
  }

  /// Adds a package with a digest, `org.example.app=SHA256`, where the digest may have colons.
  /// - Returns: false for another form; nothing is added then.
  public mutating func add(android text: String) -> Bool {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, (1...255).contains(parts[0].utf8.count), Self.isName(parts[0], besides: "._") else {
      return false
    }
    let digest = parts[1].lowercased().replacing(":", with: "")
    guard digest.utf8.count == 64, digest.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
      return false
    }
    androidPackages[String(parts[0]), default: []].append(digest)
    return true
  }

  /// Whether a text is an App ID: a team of ten capital letters and digits, a point, and the bundle's name.
  public static func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 10 && (1...155).contains(parts[1].utf8.count)
      && parts[0].utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
      && isName(parts[1], besides: ".-")
  }

  /// Whether a text has only letters and digits of ASCII, and some signs.
  private static func isName(_ text: Substring, besides signs: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || signs.unicodeScalars.contains($0))
    }
  }
}
