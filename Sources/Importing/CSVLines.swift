/// A file's lines, of which those that were taken for part of a record can be put back.
///
/// A quote that somebody forgot to close takes the lines behind it for text. They are read again, each by itself; so that a
/// file of nothing else does not take for ever, only as many bytes are read again as were read in all, and some.
final class CSVLines {
  private let lines: LineReader
  private var waiting: ArraySlice<(bytes: [UInt8], number: Int)> = []
  /// What ``next()`` lends.
  private let lent: UnsafeMutableBufferPointer<UInt8>
  private var again = 0
  /// Bytes that may be read again beside those that were read.
  private static let allowance = 1 << 20

  init(_ lines: LineReader) {
    self.lines = lines
    lent = .allocate(capacity: lines.maximumLineBytes)
  }

  deinit { lent.deallocate() }

  /// The most bytes a line or a record may have.
  var maximumLineBytes: Int { lines.maximumLineBytes }

  /// The next line, whose bytes are gone with the next call; nil at the end.
  func next() throws -> LineReader.RawLine? {
    guard let line = waiting.popFirst() else { return try lines.nextRaw() }
    _ = lent.update(fromContentsOf: line.bytes)
    return LineReader.RawLine(
      number: line.number, bytes: UnsafeBufferPointer(rebasing: lent[..<line.bytes.count]), isTooLong: false)
  }

  /// Puts lines back that follow each other.
  /// - Returns: false where too many have been put back already.
  func putBack(_ some: [(bytes: [UInt8], number: Int)]) -> Bool {
    let bytes = some.reduce(0) { $0 + $1.bytes.count }
    guard again + bytes <= Int(clamping: lines.bytesTaken) + Self.allowance else { return false }
    again += bytes
    waiting = some + waiting
    return true
  }
}
