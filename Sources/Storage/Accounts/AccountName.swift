// SPDX-License-Identifier: Apache-2.0

public import Curation

/// The rule for names of authors that people give: of accounts, of the option `--by`, and of an identity provider.
public enum AccountName {
  /// Authors in the audit log that are no accounts.
  private static let reserved: Set = [
    "command line", "owner", "ringfence", "single sign-on", "subscription", "system", "unknown",
  ]

  /// Whether the audit log and claims would mistake an account of this name for a program or for the owner of a number.
  /// Names of service accounts begin with `app:`.
  public static func isReserved(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("app:") || reserved.contains(name)
  }

  /// - Returns: the name, trimmed: one line of 1 to 80 characters, none of them invisible or reversing its neighbors.
  public static func check(_ text: String, _ field: String) throws(RuleViolation) -> String {
    let name = try RuleViolation.line(text, field, atMost: TextLimit.author)
    guard !isReserved(name) else { throw RuleViolation(.nameReserved, field: field) }
    return name
  }
}
