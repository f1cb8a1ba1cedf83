// SPDX-License-Identifier: Apache-2.0

/// Protects owners of spoofed numbers from being blocked.
///
/// A spoofer uses a stranger's number for about a day and then the next one. The owner then sees one day of many
/// complaints between quiet days, and is the person who appeals. **A number with ten complaints or more on one day,
/// which are at least half of all complaints of the last 64 days, is identified and not blocked from the moment an
/// appeal is filed on that day or later, until the appeal is rejected.** Phones still show the category, and the
/// owner's calls ring. A decision takes precedence over this rule, as over all others.
public enum Spoofing {
  /// The least number of complaints on the day.
  public static let leastOnOneDay = 10
  /// The least share of all complaints.
  public static let leastShare = 0.5

  /// Whether a number must be identified and not blocked.
  /// - Parameters:
  ///   - complaintsByDay: complaints that are not withdrawn, by the UTC day on which they were made, in days since
  ///     1970, of the last 64 days.
  ///   - appealDays: days on which open or upheld appeals were filed.
  public static func isVictim(complaintsByDay: [Int32: Int], appealDays: [Int32]) -> Bool {
    guard let peak = complaintsByDay.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }),
      peak.value >= leastOnOneDay
    else { return false }
    let all = complaintsByDay.values.reduce(0, +)
    return Double(peak.value) >= leastShare * Double(all) && appealDays.contains { $0 >= peak.key }
  }
}
