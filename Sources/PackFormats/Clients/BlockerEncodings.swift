// SPDX-License-Identifier: Apache-2.0

import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The block list of callblocker: `{"name":"…","entries":[{"number":"+…","name":"…"}]}`.
///
/// callblocker blocks every number that begins with an entry's, so a short number would block many others. A pattern is an
/// entry with its prefix.
struct CallblockerEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }
  var mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)? { options.hasOneLength }

  /// The least digits of a number, and of a prefix.
  private static let (minDigits, minPrefix) = (7, 5)
  /// The most characters of a name.
  private static let maxCharacters = 200

  private let options: ExportOptions
  private let dates: String
  private var isFirst = true

  init(options: ExportOptions) {
    self.options = options
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
    let time = style.format(Date(timeIntervalSince1970: TimeInterval(options.time))).replacing("Z", with: " +0000")
    dates = options.time > 0 ? ",\"date_created\":\"\(time)\",\"date_modified\":\"\(time)\"" : ""
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("{\"name\":\"")
    JSONLinesEncoding.escape(options.listName, into: &bytes)
    bytes.append("\",\"entries\":[")
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let digits = String(entry.prefix)
    guard digits.utf8.count >= (entry.wildcards > 0 ? Self.minPrefix : Self.minDigits) else { return .unsuitable }
    let label = entry.label ?? options.unnamedCaller
    let name = String(String.UnicodeScalarView(label.unicodeScalars.prefix(Self.maxCharacters)))
    bytes.append(isFirst ? "\n" : ",\n")
    isFirst = false
    bytes.append("{\"number\":\"+\(digits)\",\"name\":\"")
    JSONLinesEncoding.escape(name, into: &bytes)
    bytes.append("\"\(dates)}")
    return name.utf8.count != label.utf8.count ? .altered : .written
  }

  func end(into bytes: inout [UInt8]) { bytes.append("]}\n") }
}

/// Numbers with a plus, separated by commas and without a line end, for Fossify Phone. An asterisk ends a pattern.
struct FossifyEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }
  let mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)?

  private var isFirst = true

  init(options: ExportOptions) {
    mayBePrefix = options.hasOneLength
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append("\(isFirst ? "" : ",")+\(entry.prefix)\(entry.wildcards > 0 ? "*" : "")")
    isFirst = false
    return .written
  }
}

/// SpamBlocker's CSV: the header `pattern,description`, digits without a plus, and lines that only LF separates.
///
/// Its parser joins two quotation marks to none, reads a line end in a header's cell as text, and takes an empty last
/// line for a rule. So labels have no quotation marks, and the last line has no end. A pattern is a regular expression.
struct SpamBlockerCSVEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }

  init(options: ExportOptions) {
  }

  func begin(into bytes: inout [UInt8]) { bytes.append("pattern,description") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let label = entry.label ?? ""
    let text = TextCells.oneLine(label).text.replacing("\"", with: "'")
    bytes.append("\n")
    bytes.append("\(entry.prefix)\(entry.wildcards > 0 ? "\\d{\(entry.wildcards)}" : "")")
    bytes.append(text.utf8.contains(UInt8(ascii: ",")) ? ",\"\(text)\"" : ",\(text)")
    return text != label ? .altered : .written
  }
}

/// XML for SpamBlocker's XPath import: `//n[@votes > 4]/@p`. A number that has left the list has `votes="0"`.
struct SpamBlockerXMLEncoding: RecordEncoding {
  let serial: Int64

  static var hasRemovals: Bool { true }
  static var rangeForm: RangeForm { .few }

  init(options: ExportOptions) {
    serial = options.serial
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<l v=\"\(serial)\">\n")
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    if entry.isRemoved {
      bytes.append("<n p=\"\(entry.number)\" votes=\"0\"/>\n")
      return .written
    }
    bytes.append("<n p=\"\(entry.number)\" votes=\"\(ExportOptions.listedVotes)\"")
    let label = entry.label.map(TextCells.oneLine)
    if let label { bytes.append(" l=\"\(XMLText.escaped(label.text))\"") }
    bytes.append("/>\n")
    return label?.altered ?? false ? .altered : .written
  }

  func end(into bytes: inout [UInt8]) { bytes.append("</l>\n") }
}

/// The CSV of Tranquille and Yet Another Call Blocker: fields as in RFC 4180, the time in milliseconds, lines end in LF.
struct TranquilleEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }

  private let options: ExportOptions

  init(options: ExportOptions) {
    self.options = options
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("ID,name,pattern,creationTimestamp,numberOfCalls,lastCallTimestamp\n")
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let line = TextCells.oneLine(entry.label ?? options.unnamedCaller)
    let cell = CSVField.encode(line.text)
    let time = options.time > 0 ? String(options.time * 1_000) : ""
    bytes.append(",\(cell.text),+\(entry.digits(free: "#")),\(time),0,\n")
    return line.altered || cell.altered ? .altered : .written
  }
}

/// PhoneBlock's binary list, version 1: a header of 16 bytes, then records of 8 bytes in ascending order, little-endian.
///
/// A record is a key × 256 + 1 to block, + 0 to allow. The key has 16 digits in base 11, the number's first digit first: a
/// digit is one more than its value, and 0 comes after the last one. So keys ascend as texts do. Records of complete numbers
/// come first, then the prefixes, whose lengths are the bits of a field of the header.
public struct PhoneBlockBinaryList: Sendable {
  private var numbers: [UInt64] = []
  private var prefixes: [UInt64] = []
  private var lengths: UInt16 = 0

  public init() {}

  /// Bytes of an empty list.
  public static let headerSize = 16
  /// Bytes of a record.
  public static let recordSize = 8

  /// Adds a number, each once.
  public mutating func append(_ number: Int64, blocks: Bool = true) {
    numbers.append(Self.key(number) << 8 | (blocks ? 1 : 0))
  }

  /// Adds the beginning of numbers, at most 15 digits, each once.
  public mutating func append(prefix: Int64, blocks: Bool = true) {
    prefixes.append(Self.key(prefix) << 8 | (blocks ? 1 : 0))
    lengths |= 1 << UInt16(min(String(prefix).utf8.count, 15))
  }

  /// Appends the complete list.
  public func encode(into bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + Self.headerSize + Self.recordSize * (numbers.count + prefixes.count))
    bytes.append("PBBL")
    bytes.append(littleEndian: UInt16(1))
    bytes.append(littleEndian: lengths)
    bytes.append(littleEndian: UInt32(numbers.count))
    bytes.append(littleEndian: UInt32(prefixes.count))
    for record in numbers.sorted() + prefixes.sorted() { bytes.append(littleEndian: record) }
  }

  static func key(_ number: Int64) -> UInt64 {
    let digits = String(number).utf8
    var key: UInt64 = 0
    for digit in digits { key = key * 11 + UInt64(digit - UInt8(ascii: "0")) + 1 }
    for _ in digits.count..<16 { key *= 11 }
    return key
  }
}

/// PhoneBlock's binary list. Its records are sorted in memory.
struct PhoneBlockBinaryFormat: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }
  let mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)?

  private var file = PhoneBlockBinaryList()

  init(options: ExportOptions) {
    mayBePrefix = options.hasOneLength
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    if entry.wildcards > 0 { file.append(prefix: entry.prefix) } else { file.append(entry.number) }
    return .written
  }

  func end(into bytes: inout [UInt8]) { file.encode(into: &bytes) }
}

/// Saracroche's list: `{"version":"812","name":"…","patterns":[{"name":"…","action":"block","pattern":"33199######"}]}`.
///
/// Each `#` is any digit. Numbers of one label and action that fill ten, a hundred or more in a row become one pattern.
struct SaracrocheEncoding: RecordEncoding {
  /// The most `#` of a pattern, which a phone expands to a million entries.
  private static let maxDigits = 6

  static var rangeForm: RangeForm { .patterns(most: maxDigits) }

  /// Numbers that differ in their last digits only.
  private struct Pattern {
    let first: Int64
    /// How many last digits are free.
    let digits: Int
    let count: Int64
  }

  private let options: ExportOptions
  private var isFirst = true
  /// Patterns that follow each other without a gap, with the label and the action of `run`.
  private var patterns: [Pattern] = []
  private var run: (label: String, blocks: Bool)?

  init(options: ExportOptions) {
    self.options = options
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("{\"version\":\"\(options.serial)\",\"name\":\"")
    JSONLinesEncoding.escape(options.listName, into: &bytes)
    bytes.append("\",\"patterns\":[")
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let label = entry.label ?? options.unnamedCaller
    let follows = patterns.last.map { $0.first + $0.count == entry.number } ?? false
    if !follows || run?.label != label || run?.blocks != entry.blocks { flush(into: &bytes) }
    run = (label, entry.blocks)
    patterns.append(
      Pattern(first: entry.number, digits: entry.wildcards, count: entry.last - entry.number + 1))
    while let joined = Self.joined(patterns.suffix(10)) {
      patterns.removeLast(10)
      patterns.append(joined)
    }
    return .written
  }

  mutating func end(into bytes: inout [UInt8]) {
    flush(into: &bytes)
    bytes.append("]}\n")
  }

  /// Ten patterns of one size that begin at a multiple of ten of them, as one.
  private static func joined(_ ten: ArraySlice<Pattern>) -> Pattern? {
    guard ten.count == 10, let first = ten.first, first.digits < maxDigits, first.first % (10 * first.count) == 0,
      ten.allSatisfy({ $0.digits == first.digits })
    else { return nil }
    return Pattern(first: first.first, digits: first.digits + 1, count: 10 * first.count)
  }

  private mutating func flush(into bytes: inout [UInt8]) {
    guard let run else { return }
    for pattern in patterns {
      bytes.append(isFirst ? "\n" : ",\n")
      isFirst = false
      bytes.append("{\"name\":\"")
      JSONLinesEncoding.escape(run.label, into: &bytes)
      bytes.append("\",\"action\":\"\(run.blocks ? "block" : "identify")\",\"pattern\":\"")
      bytes.append(String(String(pattern.first).dropLast(pattern.digits)))
      bytes.append(String(repeating: "#", count: pattern.digits))
      bytes.append("\"}")
    }
    patterns.removeAll()
  }
}
