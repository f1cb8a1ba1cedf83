/// Why a number waits for a moderator.
public enum QueueCause: String, CaseIterable, Sendable {
  /// It is hot enough to look at, or crossed the threshold at which the next publication lists it.
  case threshold
  /// A rule against brigades keeps it back.
  case held
  /// Its owner has appealed, and nobody has decided since.
  case appeal
  /// The block that begins with it was found to call together.
  case range
  /// Many call it a nuisance and many do not, whether it is listed or not.
  case split
  /// It is protected, and reported heavily all the same.
  case protected

  /// Its place in ``QueueCauses``: 1, 2, 4, 8, 16, 32, as the table `queue` has it.
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

/// All causes for which one number waits.
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
