// SPDX-License-Identifier: Apache-2.0

import Foundation
import PhoneNumbers

/// The spelling of a number in a page's address.
enum NumberSpelling: Equatable {
  /// E.164 digits, as in all links.
  case canonical(PhoneNumber)
  /// Another spelling of a number: `+33 1 62…`, or as it is dialled in the reader's country.
  case other(PhoneNumber)
  /// Digits of a number that is unknown in the reader's country; a search finds it by its ending.
  case dialled(String)
  /// Not a number.
  case nothing

  /// - Parameters:
  /// - text: a path component.
  /// - country: where a number in national format is dialled; nil if unknown.
  init(_ text: String, country: String?) {
    let text = (text.removingPercentEncoding ?? text).trimmingCharacters(in: .whitespaces)
    if let digits = Int64(text), String(digits) == text {
      self = PhoneNumber(digits: digits).map { .canonical($0) } ?? .nothing
      return
    }
    let digits = text.unicodeScalars.count { ("0"..."9").contains($0) }
    let isSpelling = text.unicodeScalars.allSatisfy {
      ("0"..."9").contains($0) || "+ -–().\u{A0}".unicodeScalars.contains($0)
    }
    guard isSpelling, (6...15).contains(digits) else {
      self = .nothing
      return
    }
    let region = country.flatMap { PhoneRegion($0)?.code }
    // In some countries national numbers begin with 00, such as 0077 in Japan.
    if let number = try? PhoneNumber(parsing: text, region: region), number.isValid {
      self = .other(number)
      return
    }
    // Most countries dial 00 before international numbers.
    let whole = text.hasPrefix("00") ? "+\(text.dropFirst(2))" : text
    let number = try? PhoneNumber(parsing: whole, region: region)
    self = number.map { .other($0) } ?? .dialled(text)
  }
}
