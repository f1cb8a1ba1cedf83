import Foundation
import Histogram

/// What came of one phase of a mixed load.
struct MixedResult {
  /// The answers to one kind of request.
  struct Answers {
    var fine = 0
    /// 503: refused on purpose.
    var refused = 0
    /// Any other status.
    var wrong: [Int: Int] = [:]
    var broken = 0
    var bytes = 0
    /// Microseconds, of what was answered as asked.
    var latency = MixedResult.histogram
    /// Microseconds to a 503.
    var refusal = MixedResult.histogram

    var count: Int { fine + refused + wrong.values.reduce(0, +) + broken }
  }

  static var histogram: Histogram<UInt64> {
    Histogram<UInt64>(highestTrackableValue: 120_000_000, numberOfSignificantValueDigits: .two)
  }

  let name: String
  var seconds = 0.0
  var kinds: [MixedKind: Answers] = [:]
  /// What was due by role while no connection was free.
  var shed: [MixedRole: Int] = [:]
  /// By the second: the 99th percentile of what was answered as asked, in milliseconds; nil for a second without any.
  var p99: [Double?] = []
  /// Seconds since the phase began, and what the server takes.
  var memory: [(at: Double, bytes: Int)] = []

  /// Answered as asked, a second.
  func rate(_ role: MixedRole) -> Double {
    Double(kinds.filter { $0.key.role == role }.values.reduce(0) { $0 + $1.fine }) / max(seconds, 0.001)
  }

  /// Milliseconds, over everything that was answered as asked.
  var overallP99: Double {
    var all = Self.histogram
    for answers in kinds.values {
      for value in answers.latency.recordedValues() { all.record(value.value, count: value.count) }
    }
    return Double(all.valueAtPercentile(99)) / 1_000
  }
}

extension MixedKind {
  /// Who asks it.
  var role: MixedRole {
    switch self {
    case .report: .reporter
    case .lookup, .hash: .looker
    case .unchanged, .pack, .delta: .downloader
    case .signIn, .queue, .numberCase, .ruling: .moderator
    }
  }
}
