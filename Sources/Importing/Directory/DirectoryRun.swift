// SPDX-License-Identifier: Apache-2.0

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
    bytes.appendLittleEndian(number)
    bytes.appendLittleEndian(UInt64(line))
    bytes.appendLittleEndian(UInt16(name.count))
    bytes.appendLittleEndian(UInt16(category.count))
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: category)
  }

  /// Writes the rows in the order of numbers, those of one number in the order of lines, and removes them from memory.
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

extension [UInt8] {
  fileprivate mutating func appendLittleEndian<I: FixedWidthInteger>(_ value: I) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
