// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An order of the queue's list. Cases of the same value are ordered by number.
public enum QueueOrder: String, CaseIterable, Sendable {
  /// The most urgent first.
  case urgency
  /// The oldest first.
  case age
  /// The most reports first.
  case reports
  /// The hottest first.
  case heat

  /// The cursor of the first page.
  public var start: QueuePlace {
    switch self {
    case .urgency, .age: QueuePlace(value: -1, number: 0)
    case .reports, .heat: QueuePlace(value: .max, number: .max)
    }
  }

  /// The cursor of the page after a row.
  public func place(of row: QueueRow) -> QueuePlace {
    let value: Int64 =
      switch self {
      case .urgency: row.item.urgency
      case .age: Int64((row.item.since.timeIntervalSince1970 * 1_000_000).rounded())
      case .reports: row.order.reports
      case .heat: Int64(bitPattern: row.order.heat.bitPattern)
      }
    return QueuePlace(value: value, number: row.item.number)
  }
}

/// The cursor of the next page of the queue: the last row's place in the order.
public struct QueuePlace: Sendable, Equatable {
  /// Of the last row: its urgency, its microseconds since 1970, its reports, or the bits of its stored heat.
  public var value: Int64
  /// Of the last row.
  public var number: Int64

  /// - Parameters: see the properties.
  public init(value: Int64, number: Int64) {
    self.value = value
    self.number = number
  }

  /// The time of a cursor by age, within the years 1970 to 2970.
  var time: Date {
    let seconds = Double(min(max(value, 0), 31_556_952_000_000_000)) / 1_000_000
    return Date(timeIntervalSince1970: seconds)
  }

  /// The stored heat of a cursor by heat; infinite on the first page.
  var heat: Double {
    let heat = Double(bitPattern: UInt64(bitPattern: value))
    return heat.isFinite ? heat : .infinity
  }
}
