import Foundation
import PhoneNumbers

/// A number in the address of a page, as somebody has typed it.
enum NumberSpelling: Equatable {
  /// The digits of E.164, as all links have them.
  case canonical(PhoneNumber)
  /// Another spelling of a number: `+33 1 62…`, or as it is dialled in the reader's country.
  case other(PhoneNumber)
  /// What may be dialled somewhere: a search finds it by its end.
  case dialled(String)
  /// None.
  case nothing

  /// - Parameters:
  ///   - text: a part of a path.
  ///   - country: where a number in national form is dialled; nil where that is not known.
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
    // Where 00 begins national numbers, as 0077 in Japan.
    if let number = try? PhoneNumber(parsing: text, region: region), number.isValid {
      self = .other(number)
      return
    }
    // 0033… is what 00 is dialled for nearly everywhere.
    let whole = text.hasPrefix("00") ? "+\(text.dropFirst(2))" : text
    let number = try? PhoneNumber(parsing: whole, region: region)
    self = number.map { .other($0) } ?? .dialled(text)
  }
}
