/// What an account may do. Each role may do what the ones before it may.
public enum Role: String, Sendable, CaseIterable, Comparable {
  /// Looks, claims, says "not sure", escalates and allows.
  case triage
  /// Makes every decision, alone or in bulk, undoes them, and settles ranges, holds and appeals.
  case moderator
  /// Sets thresholds, protected numbers, accounts and apps, and has publications overruled or revoked.
  case administrator

  /// A role that may do less comes first.
  public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .triage: 0
    case .moderator: 1
    case .administrator: 2
    }
  }
}
