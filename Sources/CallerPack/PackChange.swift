// SPDX-License-Identifier: Apache-2.0

/// One change between two packs, as a Call Directory request needs it.
public struct PackChange: Sendable, Hashable {
  /// The direction of a change.
  public enum Action: Sendable, Hashable {
    /// Removes ``PackChange/roles`` from the number.
    case remove
    /// Adds ``PackChange/roles`` to the number.
    case add
  }
  /// The direction. Every removal comes before the first addition.
  public var action: Action
  /// The phone number.
  public var number: Int64
  /// The roles that are removed or added: in a `.both` pack only those that change. A new label is a removal and an
  /// addition of `.identifies`.
  public var roles: PackRoles
  /// The label of an addition that identifies; `nil` otherwise.
  public var label: String?

  /// Creates a change.
  public init(action: Action, number: Int64, roles: PackRoles, label: String? = nil) {
    self.action = action
    self.number = number
    self.roles = roles
    self.label = label
  }
}
