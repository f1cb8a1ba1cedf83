// SPDX-License-Identifier: Apache-2.0

/// One entry of a pack, with its label as a `String`.
///
/// ```swift
/// let bank = PackEntry(number: 49_30_1234, label: "Bank")
/// let nuisance = PackEntry(number: 49_30_5678)  // only blocks
/// ```
public struct PackEntry: Sendable, Hashable {
  /// The phone number: country code and national digits, 1 to 999,999,999,999,999.
  public var number: Int64
  /// The label; `nil` for an entry that only blocks.
  public var label: String?
  /// The roles of the entry; never empty.
  public var roles: PackRoles

  /// Creates an entry.
  /// - Parameters:
  ///   - number: 1 to 999,999,999,999,999; a writer checks it.
  ///   - label: 1 to 65,534 bytes of UTF-8; `nil` for an entry that only blocks.
  ///   - roles: without them an entry with a label identifies, and one without a label blocks.
  public init(number: Int64, label: String? = nil, roles: PackRoles? = nil) {
    self.number = number
    self.label = label
    self.roles = roles ?? (label == nil ? .blocks : .identifies)
  }

  /// Whether calls from the number are refused.
  public var isBlocked: Bool { roles.contains(.blocks) }
  /// Whether calls from the number show ``label``.
  public var isIdentified: Bool { roles.contains(.identifies) }
}
