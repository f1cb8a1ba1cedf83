import Foundation

/// A line of the doctor's.
struct Finding: Encodable, Sendable, Equatable {
  enum State: String, Encodable, Sendable {
    case ok
    /// It works, and somebody should look.
    case warning
    /// It does not work, or what is acknowledged may be lost.
    case bad
  }

  /// What was looked at, in a word or two.
  let what: String
  let state: State
  /// What was found.
  let found: String
  /// What to do; empty where all is well.
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

  /// For people.
  var line: String {
    let mark = state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
    return "\(mark) \(what): \(found)" + (advice.isEmpty ? "" : "\n         → \(advice)")
  }
}
