// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization

/// The expiry of a decision in a form: never, or some days after the decision.
enum ExpiryField {
  struct Choice: Encodable {
    /// Days; empty for never.
    let value: String
    let name: String
    let isChosen: Bool
  }

  /// - Returns: nil for a decision that never expires.
  /// - Throws: `RuleViolation` for a value that the field does not have.
  static func read(_ form: Form, at time: Date) throws(RuleViolation) -> Date? {
    try Decision.expiry(afterDays: form["expires"], from: time)
  }

  /// - Parameter form: the form to show again; nil for an empty form.
  static func choices(_ form: Form?, _ texts: Localizer) -> [Choice] {
    let chosen = form?["expires"] ?? ""
    return ([""] + Decision.lifetimes.map { "\($0)" }).map { value in
      Choice(
        value: value, name: texts("case.expires.\(value.isEmpty ? "never" : value)"), isChosen: value == chosen)
    }
  }

  /// The text of an expiry, such as `expires on 22 November 2026`.
  static func text(_ time: Date, _ texts: Localizer) -> String { texts("case.expires-on", ["day": texts.day(time)]) }
}
