// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// Reads the caller's number as telephone systems have it.
enum DialedNumber {
  /// International digits with or without a plus or 00; with a region also the forms that are dialed there.
  /// - Parameters:
  ///   - text: from the path; possibly a word such as `anonymous`, or an extension.
  ///   - region: ISO 3166-1 alpha-2.
  /// - Returns: nil for anything else.
  static func read(_ text: String, region: String?) -> PhoneNumber? {
    guard (1...20).contains(text.utf8.count) else { return nil }
    if let region, let number = try? PhoneNumber(parsing: text, region: region) { return number }
    var digits = Substring(text)
    if digits.first == "+" { digits.removeFirst() } else if digits.hasPrefix("00") { digits.removeFirst(2) }
    guard digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits).flatMap(PhoneNumber.init(digits:))
  }
}
