// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// A property by which calls that matched a list are counted.
public enum RemediationClass: String, Sendable, CaseIterable, Codable {
  case pack, origin, source, score, age
  case numberType = "number_type"
  case treatment

  /// The values; nil for names that the server knows: of packs, or of sources.
  public var values: [String]? {
    switch self {
    case .pack, .source: nil
    case .origin: ["reports", "source", "decision", "range"]
    // Fewer than 5 reporters, fewer than 50, and more: the strength of an evidence file.
    case .score: ["low", "medium", "high"]
    // Days since the last complaint: 7, 30, 90, and more.
    case .age: ["week", "month", "quarter", "older"]
    case .numberType: PhoneNumber.Kind.allCases.map(\.rawValue)
    case .treatment: ["block", "identify"]
    }
  }
}

/// Counts of calls that matched a list.
public struct RemediationTally: Sendable, Equatable {
  public var matched: Int64
  public var blocked: Int64
  public var labeled: Int64
  /// Blocks or labels that the user ended for the number.
  public var overridden: Int64

  public init(matched: Int64 = 0, blocked: Int64 = 0, labeled: Int64 = 0, overridden: Int64 = 0) {
    (self.matched, self.blocked, self.labeled, self.overridden) = (matched, blocked, labeled, overridden)
  }

  public static func += (sum: inout Self, more: Self) {
    sum.matched += more.matched
    sum.blocked += more.blocked
    sum.labeled += more.labeled
    sum.overridden += more.overridden
  }
}

/// The counts of one combination of classes; a class without a value is not known to the sender.
public struct RemediationRow: Sendable, Equatable {
  public var classes: [RemediationClass: String]
  public var tally: RemediationTally

  public init(_ classes: [RemediationClass: String], _ tally: RemediationTally) {
    (self.classes, self.tally) = (classes, tally)
  }
}

/// The sender of counts, by which they are kept apart: each has its own greatest effect on a figure.
public enum RemediationSender: String, Sendable, CaseIterable {
  /// Installed apps, by their tokens.
  case apps
  /// Look-ups of telephone systems, which the server counts itself.
  case telephoneSystems = "telephone_systems"
  /// Calls that devices report by PhoneBlock's API, which the server counts itself.
  case phoneBlock = "phoneblock"

  /// The most calls of what the noise hides: of an installation or of a user of PhoneBlock on one day, or one call of a
  /// telephone system.
  private var calls: Int {
    switch self {
    case .apps: RemediationLimits.calls
    case .telephoneSystems: 1
    case .phoneBlock: RemediationLimits.phoneBlockCalls
    }
  }

  /// The greatest change of the blocked calls of a day by these calls.
  var daySensitivity: Int { calls }

  /// The greatest change of the four counts of a class, added up: a call is matched, and blocked or labeled, and an
  /// installation may override as many.
  var classSensitivity: Int { (self == .apps ? 3 : 2) * calls }

  /// The fewest senders of a day whose counts are shown. A telephone system is no person.
  var minInstallations: Int { self == .telephoneSystems ? 0 : RemediationLimits.minInstallations }
}

/// Limits of counts of calls that matched a list.
public enum RemediationLimits {
  /// The most calls, and the most overrides, of an installation and day.
  public static let calls = 10
  /// The most rows of an installation and day: each has a call or an override.
  public static let rows = 2 * calls
  /// The most calls of a user of PhoneBlock and day.
  public static let phoneBlockCalls = 20
  public static let maxAgeInDays: Int32 = 3
  /// How many days a phone's calendar may be ahead.
  public static let leewayInDays: Int32 = 1
  static let minInstallations = 5
}
