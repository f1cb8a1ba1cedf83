// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A result line of the doctor.
struct Finding: Encodable, Sendable, Equatable {
  enum State: String, Encodable, Sendable {
    case ok
    /// It works but needs attention.
    case warning
    /// It fails, or acknowledged data may be lost.
    case bad
  }

  /// The name of the check.
  let what: String
  let state: State
  /// The result.
  let found: String
  /// The action for the operator; empty if the check passed.
  let advice: String

  static func ok(_ what: String, _ found: String) -> Finding {
    Finding(what: what, state: .ok, found: found, advice: "")
  }

  static func warning(_ what: String, _ found: String, _ advice: String) -> Finding {
    Finding(what: what, state: .warning, found: found, advice: advice)
  }

  static func bad(_ what: String, _ found: String, _ advice: String) -> Finding {
    Finding(what: what, state: .bad, found: found, advice: advice)
  }

  /// The line for a terminal.
  var line: String {
    let mark = state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
    return "\(mark) \(what): \(found)" + (advice.isEmpty ? "" : "\n         → \(advice)")
  }
}
