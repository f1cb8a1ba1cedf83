import Foundation

/// Times as the `Date` header has them (RFC 9110, IMF-fixdate), made anew when a second has passed.
struct HTTPDate {
  private var second = 0
  private var text = ""

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The present time.
  mutating func now() -> String {
    let now = time(nil)
    if now != second { (second, text) = (now, Self.format(now)) }
    return text
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  /// - Parameter seconds: since 1970.
  static func format(_ seconds: Int) -> String {
    var (seconds, parts) = (time_t(seconds), tm())
    gmtime_r(&seconds, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1_900 + parts.tm_year) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
