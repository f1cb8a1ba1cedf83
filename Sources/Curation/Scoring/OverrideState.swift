// SPDX-License-Identifier: Apache-2.0

/// The overrides of a number, which take precedence over its score.
public struct OverrideState: Sendable, Equatable {
  /// ISO 3166 alpha-2 of the number's country; nil when it has none.
  public var country: String?
  /// Whether it is protected.
  public var isProtected: Bool
  /// Whether a decision is in force.
  public var isDecided: Bool
  /// Whether it is held.
  public var isHeld: Bool

  /// - Parameters: see the properties.
  public init(country: String? = nil, isProtected: Bool = false, isDecided: Bool = false, isHeld: Bool = false) {
    self.country = country
    self.isProtected = isProtected
    self.isDecided = isDecided
    self.isHeld = isHeld
  }
}
