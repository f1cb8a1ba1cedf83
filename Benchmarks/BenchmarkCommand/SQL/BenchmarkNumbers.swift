// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The numbers of the generated reports: 100,000 of one area code, with a heavy-tailed frequency.
///
/// The law of Zipf and Mandelbrot: the probability of rank r is about 1 / (r + 20). The first number gets 0.6 % of all
/// reports, the first thousand 46 %.
enum BenchmarkNumbers {
  static let count = 100_000
  /// The number of reporters.
  static let reporters = 1_000_000

  static let firstNumber: Int64 = 12_012_000_000
  /// Has no factor in common with ``count``, so that every rank has its own number.
  static let stride = 7_919
  static let gap = 80
  static let shift = 20
  static var span: Double { Double(count + shift) / Double(shift) }

  /// The rank, 0..<100,000, for a random value of 0..<1.
  static func rank(of random: Double) -> Int {
    min(count - 1, Int(Double(shift) * pow(span, random)) - shift)
  }

  /// E.164 digits of a rank's number.
  static func number(ofRank rank: Int) -> Int64 {
    firstNumber + Int64(rank * stride % count * gap)
  }
}
