// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Streams the lines of a file or of standard input, plain or gzip.
///
/// Lines end with LF or CR LF; the last one need not end. A UTF-8 byte order mark at the start is dropped. Gzip is
/// recognized by its first bytes and may have several members. Memory is bounded: ``maximumLineBytes`` and about 350
/// KB. Reading blocks the thread.
public final class LineReader {
  /// A line, and whether it was repaired or cut.
  public struct Line: Sendable, Equatable {
    /// The line's number, from 1.
    public var number: Int
    /// The text without line end; only the start of a line that is too long.
    public var text: String
    /// Whether invalid UTF-8 was replaced with U+FFFD.
    public var isRepaired: Bool
    /// Whether it has more than ``LineReader/maximumLineBytes`` bytes.
    public var isTooLong: Bool
  }

  /// A line's bytes, valid until the next call.
  struct RawLine {
    var number: Int
    var bytes: UnsafeBufferPointer<UInt8>
    var isTooLong: Bool
  }

  /// The most bytes a line may have.
  public let maximumLineBytes: Int
  /// Number of lines read.
  private(set) var lineNumber = 0
  private let input: InputBytes
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var start = 0
  private var scanned = 0
  private var end = 0
  private var isAtEnd = false
  private var keptBytes = 0
  /// Decompressed bytes of the lines read.
  private(set) var bytesTaken = 0

  /// Opens `path`, `-` for standard input. Reading ends with `CancellationError` when `isCancelled` returns true.
  /// - Throws: ``ImportFileError/cannotRead(path:reason:)``, ``ImportFileError/unsupportedCompression(path:kind:)``.
  public convenience init(
    path: String, maximumLineBytes: Int = 1 << 16, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    try self.init(FileBytes(path: path, isCancelled: isCancelled), maximumLineBytes: maximumLineBytes)
  }

  init(_ file: FileBytes, maximumLineBytes: Int = 1 << 16) throws {
    precondition(maximumLineBytes > 0 && maximumLineBytes <= 1 << 30)
    self.maximumLineBytes = maximumLineBytes
    input = try InputBytes(file: file)
    buffer = .allocate(capacity: maximumLineBytes + (1 << 18))
  }

  deinit { buffer.deallocate() }

  /// The file's name in errors.
  public var name: String { input.file.name }

  /// Bytes of the file on disk that were read.
  public var bytesRead: UInt64 { input.file.bytesRead }

  /// The file's length in bytes, nil for a pipe.
  public var totalBytes: UInt64? { input.file.totalBytes }

  /// The next line, nil at the end.
  /// - Throws: ``ImportFileError`` when reading fails or gzip data is damaged or ends early, `CancellationError`.
  public func next() throws -> Line? {
    guard let line = try nextRaw() else { return nil }
    let (text, isRepaired) = String.repairing(line.bytes)
    return Line(number: line.number, text: text, isRepaired: isRepaired, isTooLong: line.isTooLong)
  }

  func nextRaw() throws -> RawLine? {
    while true {
      let unseen = buffer.baseAddress! + scanned
      if end > scanned, let found = memchr(unseen, 0x0A, end - scanned) {
        let newline = scanned + (UnsafeRawPointer(found) - UnsafeRawPointer(unseen))
        return take(upTo: newline, next: newline + 1)
      }
      scanned = end
      if isAtEnd { return start < end ? take(upTo: end, next: end) : nil }
      if end - start > maximumLineBytes + 2 {
        // The line is too long: the bytes after its kept start are overwritten until it ends.
        keptBytes = max(keptBytes, end - start)
        end = start + maximumLineBytes + 2
        scanned = end
      }
      try fill()
    }
  }

  private func take(upTo lineEnd: Int, next: Int) -> RawLine {
    var upper = lineEnd
    if upper > start, buffer[upper - 1] == 0x0D { upper -= 1 }
    if lineNumber == 0, upper - start >= 3, buffer[start..<start + 3].elementsEqual([0xEF, 0xBB, 0xBF]) { start += 3 }
    lineNumber += 1
    bytesTaken += next - start
    let isTooLong = keptBytes > 0 || upper - start > maximumLineBytes
    if isTooLong { upper = min(upper, start + maximumLineBytes) }
    let bytes = UnsafeBufferPointer(rebasing: buffer[start..<upper])
    start = next
    scanned = next
    keptBytes = 0
    return RawLine(number: lineNumber, bytes: bytes, isTooLong: isTooLong)
  }

  private func fill() throws {
    if start > 0 {
      memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
      end -= start
      scanned -= start
      start = 0
    }
    do {
      let count = try input.read(
        into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[end...])))
      if count == 0 { isAtEnd = true }
      end += count
    } catch InputBytes.Failure.truncated {
      throw ImportFileError.truncated(path: name, line: lineNumber)
    } catch InputBytes.Failure.corrupt(let reason) {
      throw ImportFileError.corrupt(path: name, line: lineNumber, reason: reason)
    }
  }
}

extension String {
  /// The text of UTF-8 bytes, and whether invalid ones were replaced with U+FFFD.
  static func repairing(_ bytes: some Collection<UInt8>) -> (text: String, isRepaired: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
    return (String(decoding: bytes, as: UTF8.self), true)
  }
}
