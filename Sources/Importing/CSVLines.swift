// SPDX-License-Identifier: Apache-2.0

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

  /// The most bytes a line or a record may have.
  var maximumLineBytes: Int { lines.maximumLineBytes }

  /// The next line, whose bytes are valid until the next call; nil at the end.
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
