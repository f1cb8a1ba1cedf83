/// One change between two packs.
public struct PackChange: Sendable, Hashable {
  /// Which list the change belongs to.
  public enum Action: Sendable, Hashable {
    /// Take ``PackChange/roles`` away from the number.
    case remove
    /// Give ``PackChange/roles`` to the number.
    case add
  }
  /// Remove or add; every removal comes before the first addition.
  public var action: Action
  /// The phone number.
  public var number: Int64
  /// The roles that are removed or added: in a `.both` pack only those that change. A relabel is a removal and an
  /// addition of `.identifies`.
  public var roles: PackRoles
  /// The label of an addition that identifies; `nil` otherwise.
  public var label: String?

  /// Makes a change.
  public init(action: Action, number: Int64, roles: PackRoles, label: String? = nil) {
    self.action = action
    self.number = number
    self.roles = roles
    self.label = label
  }
}
