// SPDX-License-Identifier: Apache-2.0

import Localization
import Foundation

/// A bar chart by day, drawn on the server; a table beside it has the same figures.
struct DayChart: Encodable {
  struct Bar: Encodable {
    let x: String
    let y: String
    let width: String
    let height: String
    let day: String
    let figure: String
  }

  /// A horizontal line with its figure.
  struct Line: Encodable {
    let y: String
    let figure: String
  }

  let name: String
  let title: String
  let bars: [Bar]
  let lines: [Line]
  let first: String
  let last: String
  let total: String
  let isEmpty: Bool

  private static let (width, height, left, top, bottom) = (640.0, 180.0, 48.0, 10.0, 22.0)

  /// - Parameters:
  /// - name: for `id`.
  /// - isSum: whether the sum over the days is meaningful.
  init(name: String, title: String, days: [(day: Date, value: Int64)], isSum: Bool, _ texts: Localizer) {
    self.name = name
    self.title = title
    let top = Self.ceiling(days.map(\.value).max() ?? 0)
    let plot = Self.height - Self.top - Self.bottom
    let step = (Self.width - Self.left) / Double(max(1, days.count))
    bars = days.enumerated().map { index, day in
      let height = plot * Double(day.value) / Double(max(1, top))
      return Bar(
        x: Self.number(Self.left + step * Double(index) + step * 0.15), y: Self.number(Self.top + plot - height),
        width: Self.number(step * 0.7), height: Self.number(height), day: texts.day(day.day),
        figure: texts.number(day.value))
    }
    lines = (top == 0 ? [0] : [0, top / 2, top]).map { value in
      let y = Self.top + plot - plot * Double(value) / Double(max(1, top))
      return Line(y: Self.number(y), figure: texts.number(value))
    }
    first = days.first.map { texts.day($0.day) } ?? ""
    last = days.last.map { texts.day($0.day) } ?? ""
    total = isSum ? texts.number(days.reduce(0) { $0 + $1.value }) : texts.number(days.last?.value ?? 0)
    isEmpty = days.allSatisfy { $0.value == 0 }
  }

  /// The smallest of 2, 4, 10, 20, 40, 100… that is at least the value, so that half of it is an integer.
  static func ceiling(_ value: Int64) -> Int64 {
    guard value > 0 else { return 0 }
    var size: Int64 = 1
    while true {
      for step in [2, 4, 10] as [Int64] where step * size >= value { return step * size }
      size *= 10
    }
  }

  private static func number(_ value: Double) -> String { PlainNumber.fixed(value, places: 1) }
}
