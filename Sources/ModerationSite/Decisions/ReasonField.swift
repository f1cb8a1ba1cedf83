// SPDX-License-Identifier: Apache-2.0

import Curation
import HTTPServer
import Localization

/// The public reason of a decision in a form: one of the common reasons, or text of the moderator's own.
enum ReasonField {
  /// A common reason of the form, as a radio button.
  struct Choice: Encodable {
    let text: String
    /// The key that chooses it.
    let key: String
    let isChosen: Bool
  }

  /// - Returns: nil for a form without a reason.
  /// - Throws: `RuleViolation` for a form with a common reason and another one.
  static func read(_ form: Form) throws(RuleViolation) -> String? {
    let (common, own) = (form.text("common_reason"), form.text("reason"))
    guard common == nil || own == nil || common == own else { throw RuleViolation(.twoReasons, field: "two_reasons") }
    return own ?? common
  }

  /// - Parameters:
  /// - form: the form to show again; nil for an empty form.
  /// - hasKeys: whether digits choose a reason.
  static func choices(_ form: Form?, hasKeys: Bool = true, _ texts: Localizer) -> [Choice] {
    let chosen = form?.text("common_reason")
    return (1...5).map { number in
      let text = texts("case.reason.\(number)")
      return Choice(text: text, key: hasKeys ? "\(number)" : "", isChosen: text == chosen)
    }
  }
}
