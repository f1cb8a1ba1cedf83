// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Streams the lines of a file or of standard input, plain or gzip.
///
/// Lines end with LF or CR LF, or with CR in a file whose beginning has no LF; the last one need not end. A UTF-8 byte order
/// mark at the start is dropped. UTF-16 is converted, with or without a mark. Gzip is recognized by its first bytes and may have
/// several members. Memory is bounded: ``maximumLineBytes`` and about 350 KB. Reading blocks the thread.
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

  public let maximumLineBytes: Int
  private(set) var lineNumber = 0
  private let input: InputBytes
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var start = 0
  private var scanned = 0
  private var end = 0
  private var isAtEnd = false
  private var keptBytes = 0
  private var lineEnd: UInt8 = 0x0A
  /// Nil for UTF-8.
  private var utf16: UTF16Converter?
  private var isDetected = false
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

  /// - Throws: ``ImportFileError`` when reading fails or gzip data is damaged or ends early, `CancellationError`.
  public func next() throws -> Line? {
    guard let line = try nextRaw() else { return nil }
    let (text, isRepaired) = String.repairing(line.bytes)
    return Line(number: line.number, text: text, isRepaired: isRepaired, isTooLong: line.isTooLong)
  }

  func nextRaw() throws -> RawLine? {
    while true {
      let unseen = buffer.baseAddress! + scanned
      if end > scanned, let found = memchr(unseen, Int32(lineEnd), end - scanned) {
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
      // Two bytes of UTF-16 are up to three of UTF-8.
      let room = isDetected && utf16 == nil ? buffer.count - end : (buffer.count - end) / 2
      let free = UnsafeMutableBufferPointer(rebasing: buffer[end..<end + room])
      let count = try input.read(into: UnsafeMutableRawBufferPointer(free))
      if count == 0 { isAtEnd = true }
      let isFirst = !isDetected
      if isFirst { detectEncoding(free[..<count]) }
      if let text = utf16?.convert(free[..<count], isLast: isAtEnd) {
        _ = buffer[end...].update(fromContentsOf: text)
        end += text.count
      } else {
        end += count
      }
      if isFirst { detectLineEnd(buffer[start..<end]) }
    } catch InputBytes.Failure.truncated {
      throw ImportFileError.truncated(path: name, line: lineNumber)
    } catch InputBytes.Failure.corrupt(let reason) {
      throw ImportFileError.corrupt(path: name, line: lineNumber, reason: reason)
    }
  }
}

extension LineReader {
  /// Recognizes UTF-16 by its mark, or by the zero bytes of its ASCII characters.
  private func detectEncoding(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) {
    isDetected = true
    let bytes = Array(bytes.prefix(512))
    guard bytes.count >= 4 else { return }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      utf16 = UTF16Converter(isBigEndian: bytes[0] == 0xFE)
      return
    }
    let zeros = bytes.indices.filter { bytes[$0] == 0 }
    let (even, odd) = (zeros.count { $0 % 2 == 0 }, zeros.count { $0 % 2 == 1 })
    guard max(even, odd) * 3 > bytes.count, min(even, odd) == 0 else { return }
    utf16 = UTF16Converter(isBigEndian: even > 0)
  }

  private func detectLineEnd(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) {
    if !bytes.contains(0x0A), bytes.dropLast().contains(0x0D) { lineEnd = 0x0D }
  }
}

/// Converts UTF-16 in pieces.
private struct UTF16Converter {
  let isBigEndian: Bool
  private var rest: [UInt8] = []

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// The UTF-8 bytes of complete characters; an incomplete one waits for the next piece.
  mutating func convert(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>, isLast: Bool) -> [UInt8] {
    rest += bytes
    var units = stride(from: 0, to: rest.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(rest[index]), UInt16(rest[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    rest.removeFirst(units.count * 2)
    if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) {
      units.removeLast()
      rest = (isBigEndian ? [UInt8(last >> 8), UInt8(last & 0xFF)] : [UInt8(last & 0xFF), UInt8(last >> 8)]) + rest
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}

extension String {
  /// The text of bytes of UTF-8, or of Windows-1252 where they are no UTF-8; nil for another encoding.
  ///
  /// In languages of Windows-1252 at most two letters in a row are not ASCII; in others with one byte a letter, most are.
  static func decoding(_ bytes: some Collection<UInt8>) -> String? {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    guard !bytes.split(whereSeparator: { $0 < 0x80 }).contains(where: { $0.count > 2 }),
      !bytes.contains(where: { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) })
    else { return nil }
    return String(data: Data(bytes), encoding: .windowsCP1252)
  }

  /// The same, with U+FFFD for bytes of another encoding; and whether the bytes are no UTF-8.
  static func repairing(_ bytes: some Collection<UInt8>) -> (text: String, isRepaired: Bool) {
    if let text = String(validating: bytes, as: UTF8.self) { return (text, false) }
    return (decoding(bytes) ?? String(decoding: bytes, as: UTF8.self), true)
  }
}
