// SPDX-License-Identifier: Apache-2.0

package import Curation

extension Localizer {
  /// A line of the account that explains a number.
  package func message(_ line: ExplanationLine) -> String { message("explanation", line) }

  /// The rule that holds a number, with its figures.
  package func message(_ reason: HoldReason) -> String { message(.hold(reason)) }

  /// The reason why a number is protected, as a part of a sentence.
  package func message(_ reason: ProtectionReason) -> String { message("protection", reason) }

  /// The rule that a decision, an appeal or another treatment violates.
  package func message(_ violation: RuleViolation) -> String { message("rule", violation) }

  /// The error in a threshold.
  package func message(_ problem: ThresholdProblem) -> String { message("threshold", problem) }

  /// The error in a pattern of protected numbers.
  package func message(_ error: ProtectedPatternError) -> String { self("protected.pattern.\(error.rawValue)") }

}
