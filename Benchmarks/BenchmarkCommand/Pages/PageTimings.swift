// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The durations of the requests for one kind of page.
struct PageTimings {
  let name: String
  /// Milliseconds, in the order of the requests.
  let times: [Double]
  /// The duration of SELECT 1 before each request, in milliseconds.
  let reference: [Double]
  /// The median length of the answers.
  let bytes: Int

  static let heading = "page                              p50 ms    p99 ms   SELECT 1: p50, p99     bytes"

  var row: String {
    let values = [times, reference].flatMap { times in [0.5, 0.99].map { Self.percentile($0, times) } }
    return name.padding(toLength: 30, withPad: " ", startingAt: 0)
      + String(format: "%10.2f%10.2f%12.3f%9.3f%10d", values[0], values[1], values[2], values[3], bytes)
  }

  private static func percentile(_ part: Double, _ times: [Double]) -> Double {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }
}
