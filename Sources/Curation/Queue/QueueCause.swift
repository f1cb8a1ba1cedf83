// SPDX-License-Identifier: Apache-2.0

/// The cause of a case.
public enum QueueCause: String, CaseIterable, Sendable {
  /// Its heat reached the review heat, or it meets the threshold for the next publication.
  case threshold
  /// A rule against brigading holds it.
  case held
  /// Its owner has appealed, and it was not decided since.
  case appeal
  /// A range that begins with it is proposed.
  case range
  /// Many votes call it a nuisance and many legitimate, listed or not.
  case split
  /// It is protected, but has many recent reports.
  case protected

  /// Its bit in ``QueueCauses``: 1, 2, 4, 8, 16, 32, as in the table `queue`.
  public var bit: Int16 {
    switch self {
    case .threshold: 1
    case .held: 2
    case .appeal: 4
    case .range: 8
    case .split: 16
    case .protected: 32
    }
  }
}

/// All causes of one case.
public struct QueueCauses: OptionSet, Hashable, Sendable {
  /// Sum of ``QueueCause/bit``.
  public let rawValue: Int16

  /// - Parameter rawValue: 0 to 63.
  public init(rawValue: Int16) {
    self.rawValue = rawValue
  }

  /// - Parameter causes: in any order.
  public init(_ causes: [QueueCause]) {
    rawValue = causes.reduce(0) { $0 | $1.bit }
  }

  /// The causes, in the order of ``QueueCause``.
  public var all: [QueueCause] { QueueCause.allCases.filter { rawValue & $0.bit != 0 } }

  /// Whether this is one of them.
  public func contains(_ cause: QueueCause) -> Bool { rawValue & cause.bit != 0 }
}
