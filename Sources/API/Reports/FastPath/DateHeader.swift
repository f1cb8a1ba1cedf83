// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Foundation

/// The value of the `Date` header, formatted at most once a second.
struct DateHeader {
  private var second = 0
  private var text = ""

  /// The current time in the format of ``HTTPDate``.
  mutating func now() -> String {
    let now = time(nil)
    if now != second { (second, text) = (now, HTTPDate.format(Date(timeIntervalSince1970: TimeInterval(now)))) }
    return text
  }
}
