// SPDX-License-Identifier: Apache-2.0

/// The category of a report.
///
/// The raw values are the ids of the table `categories`; a test compares the two.
public enum ReportCategory: Int16, CaseIterable, Sendable, Hashable, Codable {
  /// Impersonation, phishing, fake prizes: attempts to get money or data.
  case fraud = 1
  /// Pyramid and investment schemes.
  case pyramid = 2
  /// Debt collectors, real or claimed.
  case debtCollection = 3
  case telemarketing = 4
  /// Polls and market research.
  case survey = 5
  /// A recorded message, whatever it is about.
  case robocall = 6
  case silent = 7
  /// Rang once to be called back at a cost.
  case oneRing = 8
  case gambling = 9
  case political = 10
  case harassment = 11
  /// A nuisance of another kind.
  case other = 12
  /// Not a nuisance; counts for the number.
  case legitimate = 13

  /// The name in the API: snake_case.
  public var slug: String {
    switch self {
    case .fraud: "fraud"
    case .pyramid: "pyramid"
    case .debtCollection: "debt_collection"
    case .telemarketing: "telemarketing"
    case .survey: "survey"
    case .robocall: "robocall"
    case .silent: "silent"
    case .oneRing: "one_ring"
    case .gambling: "gambling"
    case .political: "political"
    case .harassment: "harassment"
    case .other: "other"
    case .legitimate: "legitimate"
    }
  }

  /// Whether it counts against the number.
  public var isToxic: Bool { self != .legitimate }

  private static let bySlug = Dictionary(uniqueKeysWithValues: allCases.map { ($0.slug, $0) })

  /// - Parameter slug: the name in the API; nil for any other text.
  public init?(slug: String) {
    guard let category = Self.bySlug[slug] else { return nil }
    self = category
  }
}
