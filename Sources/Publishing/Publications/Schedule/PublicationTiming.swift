import Foundation
public import Storage

/// Whether the publication of a night is to be made now.
public enum PublicationTiming: Sendable, Equatable {
  /// It is there, or a gate holds it back and somebody has to look.
  case done
  /// Somebody is making it, or it failed a short while ago.
  case wait
  /// Nobody has made it.
  case publish

  /// - Parameter attempts: those that weigh the numbers at the time it was due or later.
  public init(_ attempts: PublicationAttempts) {
    if attempts.published + attempts.refused > 0 {
      self = .done
    } else if attempts.running > 0 {
      self = .wait
    } else if let seconds = attempts.sinceFailure, seconds < Self.pause(after: attempts.failed) {
      self = .wait
    } else {
      self = .publish
    }
  }

  /// One minute after the first failure, twice as long after each other, at most an hour.
  static func pause(after failures: Int) -> TimeInterval {
    60 * pow(2, Double(min(max(failures - 1, 0), 6))).clamped(to: 60)
  }
}

extension Double {
  fileprivate func clamped(to greatest: Double) -> Double { min(self, greatest) }
}
