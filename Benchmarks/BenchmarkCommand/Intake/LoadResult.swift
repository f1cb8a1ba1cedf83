// SPDX-License-Identifier: Apache-2.0

import Histogram

/// The result of a load.
struct LoadResult: Sendable {
  /// Reports that were acknowledged as new.
  var accepted = 0
  /// Requests that were answered, by status.
  var statuses: [Int: Int] = [:]
  /// Connections that broke, and requests that were not answered within ten seconds of the end.
  var broken = 0
  /// From the first request to the last answer.
  var seconds = 0.0
  /// Microseconds from the start of a request to the end of its response.
  var latency = Histogram<UInt64>(highestTrackableValue: 120_000_000, numberOfSignificantValueDigits: .three)

  /// Requests answered.
  var requests: Int { statuses.values.reduce(0, +) }
}
