// SPDX-License-Identifier: Apache-2.0

/// The limits from which a number is listed under a category, and below which it is removed again.
///
/// The two differ (hysteresis), so that a number near the limit does not alternate between publications.
public struct Threshold: Sendable, Equatable, Codable {
  /// The toxic category that it applies to: a number's leading one.
  public var category: ReportCategory
  /// ISO 3166 alpha-2 of the numbers that it applies to; nil for all countries without their own threshold.
  public var country: String?
  /// The limits for a number that is not listed.
  public var enter: ThresholdLimits
  /// The limits for a listed number to stay listed; none is above ``enter``.
  public var leave: ThresholdLimits
  /// The least heat for a moderator's review, above 0 and at most ``enter``'s.
  public var reviewHeat: Double

  public init(
    category: ReportCategory, country: String? = nil, enter: ThresholdLimits, leave: ThresholdLimits, reviewHeat: Double
  ) {
    self.category = category
    self.country = country
    self.enter = enter
    self.leave = leave
    self.reviewHeat = reviewHeat
  }

  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> ThresholdLimits { listed ? leave : enter }
}

/// The limits that a number must reach to be listed or to stay listed.
public struct ThresholdLimits: Sendable, Equatable, Codable {
  /// Least decayed heat, in units of a fresh complaint of full weight: 3 means three today, or six 14 days ago. Above
  /// 0.
  public var heat: Double
  /// Least decayed evidence (125 days) of complaints, in the same unit; 0 for no limit.
  public var evidence: Double
  /// Least confidence, 0 to 1; see ``Confidence``.
  public var confidence: Double
  /// Least number of distinct reporters whose vote is a complaint; 0 for no limit.
  public var reporters: Int
  /// Least distinct networks, 0 to 64; see ``NetworkSketch``.
  public var networks: Int
  /// Least distinct days with a complaint, 0 to 64; see ``ComplaintDays``.
  public var days: Int

  public init(
    heat: Double, evidence: Double = 0, confidence: Double = 0, reporters: Int = 0, networks: Int = 0, days: Int = 0
  ) {
    self.heat = heat
    self.evidence = evidence
    self.confidence = confidence
    self.reporters = reporters
    self.networks = networks
    self.days = days
  }
}

extension Threshold {
  /// The category, and the country if it has one: `fraud DE`.
  public var name: String { country.map { "\(category.slug) \($0)" } ?? category.slug }

  /// - Throws: ``ThresholdProblem`` for the first broken rule.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first { throw problem.of(name) }
  }

  /// Every broken rule, with the field only: `enter.heat`.
  public var problems: [ThresholdProblem] {
    (category.isToxic ? [] : [.field(.notToxic, "category")])
      + (country.map(Self.isCountry) ?? true ? [] : [.field(.notACountry, "country")]) + limitProblems
      + (reviewHeat > 0 && reviewHeat <= enter.heat ? [] : [.field(.aboveEnterHeat, "review_heat")])
  }

  private static func isCountry(_ code: String) -> Bool {
    code.utf8.count == 2 && code.utf8.allSatisfy { (65...90).contains($0) }
  }
}

extension SourceRule {
  /// - Throws: ``ThresholdProblem`` for the first broken rule.
  public func check() throws(ThresholdProblem) {
    if let problem = problems.first { throw problem.of("source \(appID)") }
  }

  /// Every broken rule, with the field only: `enter.days`.
  public var problems: [ThresholdProblem] {
    (appID >= 0 ? [] : [.field(.notAList, "app")]) + limitProblems
  }
}

/// The reason why a threshold is invalid: the field, and the rule that it breaks.
public struct ThresholdProblem: Error, CodedMessage, CustomStringConvertible {
  public enum Code: MessageCode {
    case notToxic
    /// The country is not two capital letters.
    case notACountry
    /// The list is neither 0 nor an id.
    case notAList
    /// A value is below `least` or above `most`.
    case outOfRange
    /// A value is 0 or less, or above `most`.
    case notPositive
    /// A `leave` limit is above the `enter` limit.
    case aboveEnter
    /// The review heat is 0 or less, or above the `enter` heat.
    case aboveEnterHeat
    /// A threshold or rule exists twice.
    case twice
    /// A category has no threshold for all countries.
    case noGeneralThreshold
    /// There is no rule for lists without one of their own.
    case noRuleForEveryList
  }

  public let code: Code
  public private(set) var values: [String: CodedValue]

  /// Such as `enter.heat`; empty where the rule is about the threshold itself.
  public var field: String { if case .text(let text) = values["field"] { text } else { "" } }

  /// The problem with the name of the threshold or rule that it applies to.
  func of(_ subject: String) -> ThresholdProblem {
    var problem = self
    problem.values["subject"] = .text(subject)
    return problem
  }

  /// - Parameters:
  ///   - code: a rule without limits.
  ///   - field: such as `enter.heat`.
  public static func field(_ code: Code, _ field: String) -> ThresholdProblem {
    ThresholdProblem(code: code, values: ["field": .text(field)])
  }

  public static func outOfRange(_ field: String, _ range: ClosedRange<Int64>) -> ThresholdProblem {
    ThresholdProblem(
      code: .outOfRange,
      values: ["field": .text(field), "least": .integer(range.lowerBound), "most": .integer(range.upperBound)])
  }

  public static func notPositive(_ field: String, most: Int64) -> ThresholdProblem {
    ThresholdProblem(code: .notPositive, values: ["field": .text(field), "most": .integer(most)])
  }

  /// - Parameter subject: the name of a threshold, or of an imported list's rule.
  public static func twice(_ subject: String) -> ThresholdProblem {
    ThresholdProblem(code: .twice, values: ["subject": .text(subject)])
  }

  public static func noGeneralThreshold(_ category: ReportCategory) -> ThresholdProblem {
    ThresholdProblem(code: .noGeneralThreshold, values: ["subject": .text(category.slug)])
  }

  public static let noRuleForEveryList = ThresholdProblem(code: .noRuleForEveryList, values: [:])
}
