import HTTPServer
import Foundation

/// What the `Date` header says, made anew when a second has passed.
struct DateHeader {
  private var second = 0
  private var text = ""

  /// The present time, as ``HTTPDate`` writes it.
  mutating func now() -> String {
    let now = time(nil)
    if now != second { (second, text) = (now, HTTPDate.format(Date(timeIntervalSince1970: TimeInterval(now)))) }
    return text
  }
}
