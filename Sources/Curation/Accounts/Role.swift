// SPDX-License-Identifier: Apache-2.0

/// The role of an account. Each role includes the permissions of the ones before it.
public enum Role: String, Sendable, CaseIterable, Comparable {
  /// Sees and claims cases, passes them on, escalates and allows.
  case triage
  /// Makes every decision, alone or in bulk, undoes them, and settles ranges, holds and appeals.
  case moderator
  /// Changes thresholds, protected numbers, accounts and apps, overrides gates and requests revocations.
  case administrator

  /// Roles with fewer permissions come first.
  public static func < (one: Role, other: Role) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .triage: 0
    case .moderator: 1
    case .administrator: 2
    }
  }
}
