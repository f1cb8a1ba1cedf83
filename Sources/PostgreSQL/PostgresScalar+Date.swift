// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// `timestamptz` is a count of microseconds since 2000-01-01 00:00 UTC; ±infinity are the ends of Int64.
extension Date: PostgresScalar {
  /// `timestamptz`.
  public static var postgresType: PostgresType { .timestamptz }
  /// `timestamptz[]`.
  public static var postgresArrayType: PostgresType { .timestamptzArray }

  /// Seconds from PostgreSQL's epoch (2000) to that of `Date` (2001).
  private static let epochDistance: Int64 = 31_622_400

  /// Writes microseconds, rounded to the nearest; infinite dates are `infinity`.
  public func encode(into buffer: inout PostgresByteBuffer) {
    let seconds = timeIntervalSinceReferenceDate
    if seconds == .infinity { return buffer.append(integer: Int64.max) }
    if seconds == -.infinity { return buffer.append(integer: Int64.min) }
    guard abs(seconds) < 9_000_000_000_000 else {
      buffer.fail("the date is out of range")
      return buffer.append(integer: Int64(0))
    }
    let whole = seconds.rounded(.down)
    let microseconds = ((seconds - whole) * 1_000_000).rounded()
    buffer.append(integer: (Int64(whole) + Self.epochDistance) * 1_000_000 + Int64(microseconds))
  }

  /// Reads `timestamptz`, or `timestamp` as UTC.
  public init?(postgresValue: PostgresValue) {
    guard postgresValue.isOne(of: .timestamptz, .timestamp), let count: Int64 = postgresValue.integer() else {
      return nil
    }
    self.init(postgresMicroseconds: count)
  }

  /// A `timestamptz` as it is sent.
  init(postgresMicroseconds count: Int64) {
    switch count {
    case .max: self.init(timeIntervalSinceReferenceDate: .infinity)
    case .min: self.init(timeIntervalSinceReferenceDate: -.infinity)
    default:
      let shifted = count - Self.epochDistance * 1_000_000
      let (whole, fraction) = shifted.quotientAndRemainder(dividingBy: 1_000_000)
      self.init(timeIntervalSinceReferenceDate: Double(whole) + Double(fraction) / 1_000_000)
    }
  }
}
