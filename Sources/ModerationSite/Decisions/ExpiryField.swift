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

  static let days = [30, 90, 365]

  /// - Returns: nil for a decision that never expires.
  static func read(_ form: Form, at time: Date) -> Date? {
    form["expires"].flatMap { Int($0) }.flatMap { days.contains($0) ? time + Double($0) * 86_400 : nil }
  }

  /// - Parameter form: the form to show again; nil for an empty form.
  static func choices(_ form: Form?, _ texts: Localizer) -> [Choice] {
    let chosen = form?["expires"] ?? ""
    return ([""] + days.map { "\($0)" }).map { value in
      Choice(
        value: value, name: texts("case.expires.\(value.isEmpty ? "never" : value)"), isChosen: value == chosen)
    }
  }

  /// The text of an expiry, such as `expires on 22 November 2026`.
  static func text(_ time: Date, _ texts: Localizer) -> String { texts("case.expires-on", ["day": texts.day(time)]) }
}
