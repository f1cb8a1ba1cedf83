// SPDX-License-Identifier: Apache-2.0

/// The fields of one CSV record (RFC 4180), unquoted into a buffer that is reused for the next.
struct CSVRow {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = []

  var count: Int { ends.count }

  subscript(index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  /// Reads a complete record without its line end. A quote opens a quoted field only at its start; inside an unquoted
  /// one it is text. False when a quoted field does not end or has text after its closing quote.
  mutating func read(_ record: UnsafeBufferPointer<UInt8>, separator: UInt8 = CSVScanner.comma) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    var index = 0
    while true {
      if index < record.count, record[index] == CSVScanner.quote {
        guard let next = readQuoted(record, from: index + 1) else { return false }
        index = next
      } else {
        while index < record.count, record[index] != separator {
          bytes.append(record[index])
          index += 1
        }
      }
      ends.append(bytes.count)
      if index >= record.count { return true }
      guard record[index] == separator else { return false }
      index += 1
    }
  }

  /// Reads a record's fields between separators, without quotes (tab-separated files).
  mutating func split(_ record: UnsafeBufferPointer<UInt8>, at separator: UInt8) {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    for byte in record {
      if byte == separator { ends.append(bytes.count) } else { bytes.append(byte) }
    }
    ends.append(bytes.count)
  }

  private mutating func readQuoted(_ record: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < record.count {
      let byte = record[index]
      index += 1
      if byte == CSVScanner.quote {
        guard index < record.count, record[index] == CSVScanner.quote else { return index }
        index += 1
      }
      bytes.append(byte)
    }
    return nil
  }
}

/// Determines, line by line, whether a CSV record continues after the end of a line.
struct CSVScanner {
  static let quote = UInt8(ascii: "\"")
  static let comma = UInt8(ascii: ",")

  private enum Place { case fieldStart, unquoted, quoted, behindQuote }
  private let separator: UInt8
  private var place = Place.fieldStart

  /// Whether text followed a closing quote, which makes the record invalid.
  private(set) var isMalformed = false

  init(separator: UInt8 = CSVScanner.comma) { self.separator = separator }

  /// Whether the record is inside a quoted field, so that the next line belongs to it.
  var isInsideQuotes: Bool { place == .quoted }

  /// Reads one line of a record, without its end.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>) {
    if place != .quoted {
      place = .fieldStart
      if !line.contains(Self.quote) { return }
    }
    for byte in line {
      switch (place, byte) {
      case (.quoted, Self.quote): place = .behindQuote
      case (.quoted, _): break
      case (.behindQuote, Self.quote), (.fieldStart, Self.quote): place = .quoted
      case (_, separator): place = .fieldStart
      case (.behindQuote, _):
        isMalformed = true
        place = .unquoted
      default: place = .unquoted
      }
    }
  }
}

/// A file's lines; lines that were wrongly read as part of a record can be put back.
///
/// After an unclosed quote the following lines are read as text. They are then read again, each by itself. To bound the
/// time for a file of nothing else, the bytes that are read again are limited to those that were read, plus an
/// allowance.
final class CSVLines {
  private let lines: LineReader
  private var waiting: ArraySlice<(bytes: [UInt8], number: Int)> = []
  /// The buffer of the line that ``next()`` returns.
  private let lent: UnsafeMutableBufferPointer<UInt8>
  private var again = 0
  /// Bytes that may be read again in addition to those that were read.
  private static let allowance = 1 << 20

  init(_ lines: LineReader) {
    self.lines = lines
    lent = .allocate(capacity: lines.maximumLineBytes)
  }

  deinit { lent.deallocate() }

  var maximumLineBytes: Int { lines.maximumLineBytes }

  /// The bytes are valid until the next call.
  func next() throws -> LineReader.RawLine? {
    guard let line = waiting.popFirst() else { return try lines.nextRaw() }
    _ = lent.update(fromContentsOf: line.bytes)
    return LineReader.RawLine(
      number: line.number, bytes: UnsafeBufferPointer(rebasing: lent[..<line.bytes.count]), isTooLong: false)
  }

  /// Puts consecutive lines back.
  /// - Returns: false where too many were put back already.
  func putBack(_ some: [(bytes: [UInt8], number: Int)]) -> Bool {
    let bytes = some.reduce(0) { $0 + $1.bytes.count }
    guard again + bytes <= Int(clamping: lines.bytesTaken) + Self.allowance else { return false }
    again += bytes
    waiting = some + waiting
    return true
  }
}
