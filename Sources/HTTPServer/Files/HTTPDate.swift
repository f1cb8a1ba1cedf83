// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Dates in header fields. It writes one format and reads the three of RFC 9110, section 5.6.7.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down.
  package static func format(_ time: Date) -> String {
    var seconds = time_t(time.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : String(value) }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1_900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  /// - Parameters:
  /// - text: such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
  /// - now: a two-digit year more than 50 years after this belongs to the previous century.
  package static func parse(_ text: String, now: Date = Date()) -> Date? {
    guard text.utf8.count <= 40 else { return nil }
    if let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/) {
      return time(day: match.1, month: match.2, year: Int(match.3), clock: match.4)
    }
    if let match = text.wholeMatch(of: /[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT/) {
      let present = Int(format(now).split(separator: " ")[3]) ?? 0
      let year = Int(match.3).map { present - present % 100 + $0 }.map { $0 > present + 50 ? $0 - 100 : $0 }
      return time(day: match.1, month: match.2, year: year, clock: match.4)
    }
    if let match = text.wholeMatch(of: /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})/) {
      return time(day: match.2.drop { $0 == " " }, month: match.1, year: Int(match.4), clock: match.3)
    }
    return nil
  }

  private static func time(day: Substring, month: Substring, year: Int?, clock: Substring) -> Date? {
    let clock = clock.split(separator: ":").compactMap { Int32($0) }
    guard let day = Int32(day), let month = months.firstIndex(of: String(month)), let year, clock.count == 3,
      clock[0] < 24, clock[1] < 60, clock[2] <= 60
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1_900), Int32(month), day)
    // A leap second counts as the second before it.
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], min(clock[2], 59))
    let seconds = timegm(&parts)
    // The 31st of a shorter month became another day.
    guard parts.tm_mday == day, parts.tm_mon == Int32(month) else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }
}
