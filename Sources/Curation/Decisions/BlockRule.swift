// SPDX-License-Identifier: Apache-2.0

/// The rule for blocking a number on a page: to block a number that a directory names, or that has a protected number in
/// the same block of 100, needs a confirmation.
public struct BlockRule: Sendable, Equatable {
  /// Whether a directory names the number.
  public var isNamed: Bool
  /// Whether a number of the same block of 100 is protected.
  public var hasProtectedNeighbour: Bool

  /// - Parameters: see the properties.
  public init(isNamed: Bool, hasProtectedNeighbour: Bool) {
    (self.isNamed, self.hasProtectedNeighbour) = (isNamed, hasProtectedNeighbour)
  }

  /// Whether blocking the number needs a confirmation.
  public var isGuarded: Bool { isNamed || hasProtectedNeighbour }

  /// - Parameter isConfirmed: whether the moderator has confirmed the effect.
  /// - Throws: ``RuleViolation`` of the code `block_needs_confirmation`.
  public func check(isConfirmed: Bool) throws(RuleViolation) {
    guard !isGuarded || isConfirmed else { throw RuleViolation(.blockNeedsConfirmation, field: "confirm") }
  }
}
