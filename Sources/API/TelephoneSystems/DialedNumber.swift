// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// Reads the caller's number as telephone systems have it.
enum DialedNumber {
  /// International digits with or without a plus or 00; with a region also the forms that are dialed there.
  ///
  /// Digits without a prefix are read as international ones first, because telephone systems remove the plus. Only in
  /// countries of the code 1, which dial without a prefix, they are read as national ones first.
  /// - Parameters:
  ///   - text: from the path; possibly a word such as `anonymous`, or an extension.
  ///   - region: ISO 3166-1 alpha-2.
  /// - Returns: nil for anything else.
  static func read(_ text: String, region: String?) -> PhoneNumber? {
    guard (1...20).contains(text.utf8.count) else { return nil }
    let national = region.flatMap { try? PhoneNumber(parsing: text, region: $0) }
    let isNational = text.first.map { "0+".contains($0) } ?? false || region.flatMap(PhoneRegion.init)?.callingCode == 1
    if let national, isNational { return national }
    if let number = international(text), number.isValid || national == nil { return number }
    return national
  }

  private static func international(_ text: String) -> PhoneNumber? {
    var digits = Substring(text)
    if digits.first == "+" { digits.removeFirst() } else if digits.hasPrefix("00") { digits.removeFirst(2) }
    guard digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(digits).flatMap(PhoneNumber.init(digits:))
  }
}
