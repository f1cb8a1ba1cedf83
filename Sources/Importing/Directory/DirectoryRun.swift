// SPDX-License-Identifier: Apache-2.0

import Curation

/// Rows of one task in memory, to be sorted by number and written to a temporary file.
///
/// A row in the file: number (8 bytes), line (8), lengths of name and category (2 each), name, category.
struct DirectoryRun {
  private var bytes: [UInt8] = []
  private var rows: [(number: Int64, start: Int)] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  var isFull: Bool { bytes.count + rows.count * 16 >= limit }
  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ number: Int64, line: Int, name: [UInt8], category: [UInt8]) {
    rows.append((number, bytes.count))
    withUnsafeTemporaryAllocation(byteCount: RunReader.headBytes, alignment: 8) { head in
      head.storeBytes(of: number.littleEndian, as: Int64.self)
      head.storeBytes(of: UInt64(line).littleEndian, toByteOffset: 8, as: UInt64.self)
      head.storeBytes(of: UInt16(name.count).littleEndian, toByteOffset: 16, as: UInt16.self)
      head.storeBytes(of: UInt16(category.count).littleEndian, toByteOffset: 18, as: UInt16.self)
      bytes.append(contentsOf: head)
    }
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: category)
  }

  /// Writes the rows in the order of numbers, rows of one number in the order of lines, and removes them from memory.
  mutating func write(to file: TemporaryFile) throws -> Range<Int> {
    rows.sort { ($0.number, $0.start) < ($1.number, $1.start) }
    let region = file.reserve(bytes.count)
    var offset = region.lowerBound
    var piece: [UInt8] = []
    piece.reserveCapacity(1 << 18 + 1 << 12)
    try bytes.withUnsafeBytes { all in
      for row in rows {
        let name = all.loadUnaligned(fromByteOffset: row.start + 16, as: UInt16.self)
        let category = all.loadUnaligned(fromByteOffset: row.start + 18, as: UInt16.self)
        let end = row.start + 20 + Int(UInt16(littleEndian: name)) + Int(UInt16(littleEndian: category))
        piece.append(contentsOf: all[row.start..<end])
        if piece.count >= 1 << 18 {
          try file.write(piece, at: offset)
          offset += piece.count
          piece.removeAll(keepingCapacity: true)
        }
      }
    }
    try file.write(piece, at: offset)
    rows.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    return region
  }
}

/// Reads the rows of a run in order, with its own buffer.
final class RunReader: SortedRun {
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

  static let headBytes = 20
  private static let maxRow = headBytes + DirectoryEntry.nameBytes + DirectoryEntry.categoryBytes

  var order: RowOrder { RowOrder(number: number, other: line) }

  /// Reads the next row; the pointers of the row before become invalid. Returns false at the end.
  func advance() throws -> Bool {
    if end - at < Self.maxRow, !rest.isEmpty {
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
