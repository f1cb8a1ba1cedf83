// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HTTPTypes

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The conditions and the range of a request, evaluated in the order of RFC 9110, section 13.2.2.
struct ConditionalRequest {
  var ifMatch: String?
  var ifUnmodifiedSince: String?
  var ifNoneMatch: String?
  var ifModifiedSince: String?
  var ifRange: String?
  var range: String?
  /// Whether a range applies; it does not for HEAD.
  var isGet = true

  struct Validators {
    let tag: EntityTag
    /// In whole seconds.
    let lastModified: Date
    /// Whether no other content can have the same date.
    let isDateStrong: Bool
  }

  enum Outcome: Equatable {
    case whole
    case part(Range<Int>)
    /// 304
    case notModified
    /// 412
    case preconditionFailed
    /// 416
    case notSatisfiable
  }

  /// - Parameter length: of the file in bytes.
  func outcome(for validators: Validators, length: Int) -> Outcome {
    if let ifMatch {
      guard EntityTagList(ifMatch).contains(where: validators.tag.matchesStrongly) else { return .preconditionFailed }
    } else if let time = ifUnmodifiedSince.flatMap({ HTTPDate.parse($0) }), validators.lastModified > time {
      return .preconditionFailed
    }
    if let ifNoneMatch {
      if EntityTagList(ifNoneMatch).contains(where: validators.tag.matchesWeakly) { return .notModified }
    } else if let time = ifModifiedSince.flatMap({ HTTPDate.parse($0) }), validators.lastModified <= time {
      return .notModified
    }
    guard isGet, let range, isSameAsBefore(validators) else { return .whole }
    switch HTTPRange(range, length: length) {
    case .whole: return .whole
    case .part(let part): return .part(part)
    case .notSatisfiable: return .notSatisfiable
    }
  }

  /// Whether the client's part belongs to the current content, by `If-Range`. A weak validator never matches.
  private func isSameAsBefore(_ validators: Validators) -> Bool {
    guard let ifRange else { return true }
    if let time = HTTPDate.parse(ifRange) { return validators.isDateStrong && time == validators.lastModified }
    guard case .tags(let tags) = EntityTagList(ifRange), tags.count == 1 else { return false }
    return tags[0].matchesStrongly(validators.tag)
  }
}

extension ConditionalRequest {
  init(_ request: HTTPRequest) {
    let fields = request.headerFields
    ifMatch = fields[.ifMatch]
    ifUnmodifiedSince = fields[.ifUnmodifiedSince]
    ifNoneMatch = fields[.ifNoneMatch]
    ifModifiedSince = fields[.ifModifiedSince]
    ifRange = fields[.ifRange]
    range = fields[.range]
    isGet = request.method == .get
  }
}

/// A validator of RFC 9110, section 8.8.3: `"…"`, or `W/"…"` for a weak one.
package struct EntityTag: Equatable {
  let isWeak: Bool
  /// The text between the quotes.
  let opaque: String

  package init(_ opaque: String, isWeak: Bool = false) {
    self.isWeak = isWeak
    self.opaque = opaque
  }

  /// The tag as a field's value.
  package var field: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

  func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

  package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

/// The fields `If-Match` and `If-None-Match`: any tag, or a list of tags.
package enum EntityTagList: Equatable {
  case any
  case tags([EntityTag])

  /// - Parameter field: several fields joined by commas. A syntax error gives an empty list.
  package init(_ field: String) {
    var text = field.utf8[...]
    var tags: [EntityTag] = []
    Self.skip(&text)
    if text.elementsEqual("*".utf8) {
      self = .any
      return
    }
    while !text.isEmpty {
      guard let tag = Self.tag(&text) else {
        self = .tags([])
        return
      }
      tags.append(tag)
      Self.skipSpaces(&text)
      guard text.isEmpty || text.first == UInt8(ascii: ",") else {
        self = .tags([])
        return
      }
      Self.skip(&text)
    }
    self = .tags(tags)
  }

  package func contains(where isMatch: (EntityTag) -> Bool) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains(where: isMatch)
    }
  }

  private static func skipSpaces(_ text: inout Substring.UTF8View) {
    text = text.drop { $0 == 0x20 || $0 == 0x09 }
  }

  /// Spaces and commas: a list may have empty elements, and spaces at its end.
  private static func skip(_ text: inout Substring.UTF8View) {
    text = text.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
    while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
  }

  private static func tag(_ text: inout Substring.UTF8View) -> EntityTag? {
    let isWeak = text.starts(with: "W/".utf8)
    if isWeak { text = text.dropFirst(2) }
    guard text.first == UInt8(ascii: "\"") else { return nil }
    let rest = text.dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    defer { text = rest[end...].dropFirst() }
    // etagc: no space and no control character.
    guard rest[..<end].allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }) else { return nil }
    return EntityTag(String(Substring(rest[..<end])), isWeak: isWeak)
  }
}

/// The range of the field `Range`, by RFC 9110, section 14.
enum HTTPRange: Equatable {
  /// No range, another unit, several ranges, or a syntax error. The complete file is sent.
  case whole
  /// Offsets into the file, never empty.
  case part(Range<Int>)
  /// The range is outside the file: 416.
  case notSatisfiable

  /// - Parameters:
  ///   - field: such as `bytes=0-499`, `bytes=500-` or `bytes=-500`; several fields joined by commas.
  ///   - length: of the file in bytes.
  init(_ field: String, length: Int) {
    self = Self.specification(in: field)?.applied(to: length) ?? .whole
  }

  private enum Specification {
    case from(Int, through: Int)
    case last(Int)

    func applied(to length: Int) -> HTTPRange {
      switch self {
      case .from(let first, let last):
        guard first < length else { return .notSatisfiable }
        return .part(first..<min(last, length - 1) + 1)
      case .last(0):
        return .notSatisfiable
      case .last(let count):
        // The suffix of an empty file is empty, which Content-Range cannot express.
        return length == 0 ? .whole : .part(max(0, length - count)..<length)
      }
    }
  }

  /// The only range of the field; nil for several and for a syntax error.
  private static func specification(in field: String) -> Specification? {
    guard let equals = field.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    guard field[..<equals].lowercased() == "bytes" else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    // A list may have empty elements.
    let elements = field[equals...].utf8.dropFirst().split(separator: UInt8(ascii: ",")).compactMap { element in
      let text = element.drop(while: isSpace)
      return text.isEmpty ? nil : text
    }
    guard elements.count == 1, var text = elements.first else { return nil }
    while let last = text.last, isSpace(last) { text.removeLast() }
    guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (before, after) = (text[..<dash], text[dash...].dropFirst())
    switch (before.isEmpty, after.isEmpty) {
    case (true, true): return nil
    case (true, false): return number(after).map { .last($0) }
    case (false, true): return number(before).map { .from($0, through: .max - 1) }
    case (false, false):
      guard let first = number(before), let last = number(after), first <= last else { return nil }
      return .from(first, through: min(last, .max - 1))
    }
  }

  /// Parses digits; a number beyond `Int` becomes its maximum.
  private static func number(_ text: Substring.UTF8View) -> Int? {
    var value = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tenfold, isTooMuch) = value.multipliedReportingOverflow(by: 10)
      let (sum, isTooMuchNow) = tenfold.addingReportingOverflow(Int(byte) - 0x30)
      value = isTooMuch || isTooMuchNow ? .max : sum
    }
    return value
  }
}

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
