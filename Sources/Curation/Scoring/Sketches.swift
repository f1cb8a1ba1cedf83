// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An estimate of the number of networks with complaints about a number: a set of 64 bits, of which each network sets
/// one.
///
/// Linear counting (Whang, Vander-Zanden, Taylor, ACM TODS 15, 1990) with one difference: the count of set bits is used
/// as the number of networks. Networks that share a bit count once, so it underestimates and never makes a number
/// appear worse: 5 networks are counted as 4.85 on average, 10 as 9.3, 64 as 40.6. The bits are kept longer than the
/// networks' hashes, which are purged after 30 days, and reveal nothing about a single network.
public struct NetworkSketch: Sendable, Equatable {
  /// Bit i is set when the first byte of a network's hash was i modulo 64.
  public private(set) var bits: UInt64

  public init(bits: UInt64 = 0) {
    self.bits = bits
  }

  /// A lower bound of the number of networks, 0 to 64.
  public var count: Int { bits.nonzeroBitCount }

  /// - Parameter hash: the network's keyed hash; an empty one adds nothing.
  public mutating func insert(_ hash: [UInt8]) {
    guard let first = hash.first else { return }
    bits |= 1 << UInt64(first & 63)
  }
}

/// The days with complaints among the last 64 days, as bits.
///
/// Bit i is the day i days before ``lastDay``. A day is a calendar day in UTC. Days 64 or more before the last one are
/// dropped.
public struct ComplaintDays: Sendable, Equatable {
  public private(set) var bits: UInt64
  /// The newest day with a complaint, in days since 1970-01-01; nil when there is none.
  public private(set) var lastDay: Int32?

  /// - Parameters:
  ///   - bits: ignored when there is no last day.
  ///   - lastDay: in days since 1970-01-01.
  public init(bits: UInt64 = 0, lastDay: Int32? = nil) {
    self.bits = lastDay == nil ? 0 : bits
    self.lastDay = lastDay
  }

  /// Distinct days, 0 to 64.
  public var count: Int { bits.nonzeroBitCount }

  /// The UTC day of a time, in days since 1970-01-01.
  public static func day(of time: Date) -> Int32 {
    Int32((time.timeIntervalSince1970 / 86_400).rounded(.down))
  }

  /// The beginning of the UTC day of a time.
  public static func beginning(of time: Date) -> Date { Date(timeIntervalSince1970: Double(day(of: time)) * 86_400) }

  public mutating func insert(_ day: Int32) {
    formUnion(ComplaintDays(bits: 1, lastDay: day))
  }

  /// Adds the days of another: the older one is shifted to the newer one's last day.
  public mutating func formUnion(_ other: ComplaintDays) {
    guard let mine = lastDay, let theirs = other.lastDay else {
      if lastDay == nil { self = other }
      return
    }
    let newest = max(mine, theirs)
    // Swift's smart shift gives 0 for 64 and more.
    bits = bits << (newest - mine) | other.bits << (newest - theirs)
    lastDay = newest
  }
}
