/// One entry of a pack, with its label as a `String`.
public struct PackEntry: Sendable, Hashable {
  /// The phone number: country code and national digits, 1 to 999,999,999,999,999.
  public var number: Int64
  /// The label; `nil` for an entry that only blocks.
  public var label: String?
  /// What the entry does; never empty.
  public var roles: PackRoles

  /// Makes an entry; without `roles` it identifies when it has a label and blocks when it has none.
  public init(number: Int64, label: String? = nil, roles: PackRoles? = nil) {
    self.number = number
    self.label = label
    self.roles = roles ?? (label == nil ? .blocks : .identifies)
  }

  /// Calls from the number are refused.
  public var isBlocked: Bool { roles.contains(.blocks) }
  /// Calls from the number show ``label``.
  public var isIdentified: Bool { roles.contains(.identifies) }
}
