/// Spares the owners of numbers that a caller has only pretended to call from.
///
/// Whoever spoofs takes a stranger's number for a day and then the next one. Its owner then has a day of many complaints, a
/// quiet time before and after, and answers the telephone: so it is the owner that appeals. **A number with ten complaints
/// or more on one day, which are at least half of all complaints of the last 64 days, is identified and not blocked from
/// the moment an appeal is filed on that day or later, until the appeal is rejected.** People still see whose complaints
/// there were, and the owner's calls get through. A decision stands before this rule, as it does before all others.
public enum Spoofing {
  /// The fewest complaints of the day.
  public static let leastOnOneDay = 10
  /// The least share of all complaints.
  public static let leastShare = 0.5

  /// Whether a number is to be identified and not blocked.
  /// - Parameters:
  ///   - complaintsByDay: reports that stand and complain, by the UTC day they were said, in days since 1970, of the last
  ///     64 days.
  ///   - appealDays: days on which appeals were filed that are open or upheld.
  public static func isVictim(complaintsByDay: [Int32: Int], appealDays: [Int32]) -> Bool {
    guard let peak = complaintsByDay.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }),
      peak.value >= leastOnOneDay
    else { return false }
    let all = complaintsByDay.values.reduce(0, +)
    return Double(peak.value) >= leastShare * Double(all) && appealDays.contains { $0 >= peak.key }
  }
}
