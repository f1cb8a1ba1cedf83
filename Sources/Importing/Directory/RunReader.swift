// SPDX-License-Identifier: Apache-2.0

/// Reads the rows of a run in order, with its own buffer.
final class RunReader {
  private let file: TemporaryFile
  private var rest: Range<Int>
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  private var at = 0
  private var end = 0

  /// The fields of the current row.
  private(set) var number: Int64 = 0
  private(set) var line = 0
  private(set) var name = UnsafeRawBufferPointer(start: nil, count: 0)
  private(set) var category = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Whether the run's next row is in memory and of another number, or there is none.
  var isOtherNext: Bool {
    guard end - at >= MemoryLayout<Int64>.size else { return at == end && rest.isEmpty }
    let next = UnsafeRawBufferPointer(buffer).loadUnaligned(fromByteOffset: at, as: Int64.self)
    return Int64(littleEndian: next) != number
  }

  init(file: TemporaryFile, run: Range<Int>) {
    self.file = file
    rest = run
  }

  deinit { buffer.deallocate() }

  private static let headBytes = 20
  private static let greatestRow = headBytes + DirectoryLimits.nameBytes + DirectoryLimits.categoryBytes

  /// Reads the next row; the pointers of the row before become invalid. Returns false at the end.
  func next() throws -> Bool {
    if end - at < Self.greatestRow, !rest.isEmpty {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[at..<end]))
      (at, end) = (0, end - at)
      let more = min(buffer.count - end, rest.count)
      try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + more]), at: rest.lowerBound)
      end += more
      rest = rest.lowerBound + more..<rest.upperBound
    }
    guard at < end else { return false }
    let bytes = UnsafeRawBufferPointer(buffer)
    number = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int64.self))
    line = Int(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)))
    let nameBytes = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 16, as: UInt16.self)))
    let categoryBytes = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 18, as: UInt16.self)))
    let start = at + Self.headBytes
    name = UnsafeRawBufferPointer(rebasing: bytes[start..<start + nameBytes])
    category = UnsafeRawBufferPointer(rebasing: bytes[start + nameBytes..<start + nameBytes + categoryBytes])
    at = start + nameBytes + categoryBytes
    return true
  }
}
