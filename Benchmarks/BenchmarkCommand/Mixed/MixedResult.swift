// SPDX-License-Identifier: Apache-2.0

import Foundation
import Histogram

/// The result of one phase of a mixed load.
struct MixedResult {
  /// The answers to one kind of request.
  struct Answers {
    var fine = 0
    /// Answered with 503.
    var refused = 0
    /// Any other status.
    var wrong: [Int: Int] = [:]
    var broken = 0
    var bytes = 0
    /// Microseconds to an expected answer.
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
  var kinds: [MixedRequestKind: Answers] = [:]
  /// Requests by role that were not sent because no connection was free.
  var shed: [MixedRole: Int] = [:]
  /// The 99th percentile of the expected answers of each second, in milliseconds; nil for a second without any.
  var p99: [Double?] = []
  /// Seconds since the phase began, and the memory of the server.
  var memory: [(at: Double, bytes: Int)] = []

  /// Expected responses per second.
  func rate(_ role: MixedRole) -> Double {
    Double(kinds.filter { $0.key.role == role }.values.reduce(0) { $0 + $1.fine }) / max(seconds, 0.001)
  }

  /// The 99th percentile of all expected answers, in milliseconds.
  var overallP99: Double {
    var all = Self.histogram
    for answers in kinds.values {
      for value in answers.latency.recordedValues() { all.record(value.value, count: value.count) }
    }
    return Double(all.valueAtPercentile(99)) / 1_000
  }
}

extension MixedRequestKind {
  /// The role that sends it.
  var role: MixedRole {
    switch self {
    case .report: .reporter
    case .lookup, .hash: .lookupClient
    case .unchanged, .pack, .delta: .downloader
    case .signIn, .queue, .numberCase, .postDecision: .moderator
    }
  }
}
