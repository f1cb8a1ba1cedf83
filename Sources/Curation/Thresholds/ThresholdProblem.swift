// SPDX-License-Identifier: Apache-2.0

/// The reason why a threshold is invalid: the field, and the rule that it breaks.
public struct ThresholdProblem: Error, CodedMessage, CustomStringConvertible {
  /// The rules.
  public enum Code: MessageCode {
    /// The category is not toxic.
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

  /// The name of the message.
  public let code: Code
  /// The values of the message; see ``CodedMessage``.
  public let values: [String: CodedValue]

  /// - Parameters: see ``CodedMessage``.
  public init(code: Code, values: [String: CodedValue]) {
    self.code = code
    self.values = values
  }

  /// Such as `enter.heat`; empty where the rule is about the threshold itself.
  public var field: String { if case .text(let text) = values["field"] { text } else { "" } }

  /// The same problem with the threshold or rule that it applies to.
  func of(_ subject: String) -> ThresholdProblem {
    ThresholdProblem(code: code, values: values.merging(["subject": .text(subject)]) { _, new in new })
  }

  /// - Parameters:
  ///   - code: a rule without limits.
  ///   - field: such as `enter.heat`.
  public static func field(_ code: Code, _ field: String) -> ThresholdProblem {
    ThresholdProblem(code: code, values: ["field": .text(field)])
  }

  /// A value outside of its limits.
  public static func outOfRange(_ field: String, _ range: ClosedRange<Int64>) -> ThresholdProblem {
    ThresholdProblem(
      code: .outOfRange,
      values: ["field": .text(field), "least": .integer(range.lowerBound), "most": .integer(range.upperBound)])
  }

  /// A value that is not above 0 and at most `most`.
  public static func notPositive(_ field: String, most: Int64) -> ThresholdProblem {
    ThresholdProblem(code: .notPositive, values: ["field": .text(field), "most": .integer(most)])
  }

  /// - Parameter subject: the name of a threshold, or of an imported list's rule.
  public static func twice(_ subject: String) -> ThresholdProblem {
    ThresholdProblem(code: .twice, values: ["subject": .text(subject)])
  }

  /// No threshold of the category for countries without their own.
  public static func noGeneralThreshold(_ category: ReportCategory) -> ThresholdProblem {
    ThresholdProblem(code: .noGeneralThreshold, values: ["subject": .text(category.slug)])
  }

  /// No rule for lists without their own.
  public static let noRuleForEveryList = ThresholdProblem(code: .noRuleForEveryList, values: [:])
}
