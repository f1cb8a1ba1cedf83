// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Storage

/// Whether a scheduled publication is to be made now.
public enum PublicationTiming: Sendable, Equatable {
  /// It was published, or refused by a gate and needs an administrator.
  case done
  /// It is being made, or failed a short time ago.
  case wait
  /// It is due.
  case publish

  /// - Parameter attempts: those that evaluate the numbers at the scheduled time or later.
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

  /// The pause in seconds: one minute after the first failure, doubled after each further one, at most an hour.
  static func pause(after failures: Int) -> TimeInterval {
    60 * pow(2, Double(min(max(failures - 1, 0), 6))).clamped(to: 60)
  }
}

extension Double {
  fileprivate func clamped(to greatest: Double) -> Double { min(self, greatest) }
}
