// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a replay for one month. Shares are of the numbers of a list that have complaints in the next month.
struct ReplayMonth {
  /// The list of all numbers with at least k complaints in the month, and an equally long list by heat.
  struct AtLeast {
    let k: Int
    let size: Int
    let plain: Double
    let ours: Double
  }

  let name: String
  /// Numbers that the thresholds list.
  let listed: Int
  let used: Double
  /// The share for as many numbers with the most complaints in the month.
  let plainInMonth: Double
  /// The share for as many numbers with the most complaints in all months.
  let plainEver: Double
  /// The share of the next month's complaints that are about listed numbers.
  let caught: Double
  let atLeast: [AtLeast]

  static let header = """
    | month | listed | used | plain, same size: in the month | in all months | next month's complaints caught \
    | k = 3: plain numbers | used | ours | k = 5: plain numbers | used | ours | k = 10: plain numbers | used | ours |
    |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
    """

  var row: String {
    let cells =
      [name, "\(listed)"] + [used, plainInMonth, plainEver, caught].map(percent)
      + atLeast.flatMap { ["\($0.size)", percent($0.plain), percent($0.ours)] }
    return "| \(cells.joined(separator: " | ")) |"
  }

  private func percent(_ part: Double) -> String { String(format: "%.1f %%", part * 100) }
}
