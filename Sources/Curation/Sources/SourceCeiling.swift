// SPDX-License-Identifier: Apache-2.0

/// The most treatment that a source can cause without other support.
public enum SourceCeiling: String, Sendable, CaseIterable, Comparable, Codable {
  /// Its entries count beside reports only.
  case nothing
  /// Its entries alone put a number into the review queue.
  case review
  /// Its entries alone list a number to identify it.
  case identify
  /// Its entries alone list a number as reports do.
  case block

  /// Orders by strength.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .nothing: 0
    case .review: 1
    case .identify: 2
    case .block: 3
    }
  }
}
