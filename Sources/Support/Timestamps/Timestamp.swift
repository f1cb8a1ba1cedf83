// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Times as text, and months, in UTC and the proleptic Gregorian calendar.
///
/// Each report needs one parse and one month; a `Calendar` or a format style takes microseconds for each.
public enum Timestamp {
  /// Reads `2021-07-07`, `2021-07-07 00:01:15` or RFC 3339; without a zone it is UTC. Nil for anything else.
  public static func read(_ text: some Collection<UInt8>) -> Date? { read(text, needsZone: false) }

  /// Reads a date and time of RFC 3339: `2021-07-07T00:01:15.250Z`, `2021-07-07T02:01:15+02:00`.
  public static func parse(_ text: String) -> Date? { read(text.utf8, needsZone: true) }

  /// Reads a time in the only form that signed documents have: as ``format(_:)-(Int)`` writes it, in the years 0001 to
  /// 9999. Nil for anything else, such as a leap second, an offset or a fraction.
  public static func document(_ text: String) -> Date? {
    guard !text.hasPrefix("0000"), let time = parse(text), format(time) == text else { return nil }
    return time
  }

  private static func read(_ text: some Collection<UInt8>, needsZone: Bool) -> Date? {
    guard text.count <= 40 else { return nil }
    var input = Input(bytes: Array(text))
    guard let year = input.digits(4), input.skip("-"), let month = input.digits(2), input.skip("-"),
      let day = input.digits(2), (1...12).contains(month), (1...daysIn(month, of: year)).contains(day)
    else { return nil }
    let midnight = daysSince1970(year, month, day) * 86_400
    if input.isAtEnd { return needsZone ? nil : Date(timeIntervalSince1970: Double(midnight)) }
    guard input.skip("T") || input.skip("t") || input.skip(" "), let hour = input.digits(2), input.skip(":"),
      let minute = input.digits(2), input.skip(":"), let second = input.digits(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction = 0.0
    if input.skip(".") {
      guard let digits = input.fraction() else { return nil }
      fraction = digits
    }
    guard let offset = input.zone(isNeeded: needsZone), input.isAtEnd else { return nil }
    // A leap second counts as the second before it.
    let seconds = midnight + hour * 3_600 + minute * 60 + min(second, 59) - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// `2021-07-07T00:01:15Z`, without fractions of a second, for the years 0001 to 9999.
  public static func format(_ time: Date) -> String { format(Int(time.timeIntervalSince1970.rounded(.down))) }

  /// The same for seconds since 1970.
  public static func format(_ seconds: Int) -> String {
    let time = (seconds % 86_400 + 86_400) % 86_400
    let (year, month, dayOfMonth) = date(daysSince1970: (seconds - time) / 86_400)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    let day = "\(two(year / 100))\(two(year % 100))-\(two(month))-\(two(dayOfMonth))"
    return "\(day)T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
  }

  /// Howard Hinnant's days_from_civil (chrono-compatible low-level date algorithms).
  static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  public static func startOfMonth(year: Int, month: Int) -> Date {
    Date(timeIntervalSince1970: TimeInterval(daysSince1970(year, month, 1) * 86_400))
  }

  /// The calendar month of a time from 1970 on.
  public static func month(of time: Date) -> (year: Int, month: Int) {
    let (year, month, _) = date(daysSince1970: Int((time.timeIntervalSince1970 / 86_400).rounded(.down)))
    return (year, month)
  }

  /// The same author's civil_from_days, for days from the year 1 on.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private struct Input {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func digit() -> Int? {
      guard index < bytes.count, (0x30...0x39).contains(bytes[index]) else { return nil }
      defer { index += 1 }
      return Int(bytes[index]) - 0x30
    }

    mutating func digits(_ count: Int) -> Int? {
      var value = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    /// The digits after a point, at least one, as a fraction of a second.
    mutating func fraction() -> Double? {
      var value = 0.0
      var scale = 0.1
      let start = index
      while let digit = digit() {
        value += Double(digit) * scale
        scale /= 10
      }
      return index > start ? value : nil
    }

    /// Seconds east of UTC; 0 where the zone is missing and optional.
    mutating func zone(isNeeded: Bool) -> Int? {
      if skip("Z") || skip("z") { return 0 }
      let isEast = skip("+")
      guard isEast || skip("-") else { return isNeeded ? nil : 0 }
      guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
      return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
    }
  }
}
