// SPDX-License-Identifier: Apache-2.0

/// An entry of a source's file as it is written there.
struct SourceFileRow: Sendable, Equatable {
  /// A row of the file, or one that cannot be read or is left out.
  enum Outcome: Equatable {
    case row(SourceFileRow)
    /// A pattern for too many numbers, which is left out.
    case pattern
    case rejected
    /// A row that is no reason to list its number.
    case ignored

    /// False for further numbers of a row.
    var isRow: Bool { if case .row(let row) = self { !row.isContinued } else { true } }
  }

  var number: String
  /// The source's text for the category; nil where it has none.
  var category: String?
  /// Whether the source says that the number is no longer on its list.
  var isRemoval = false
  /// Whether it is a further number of the row before.
  var isContinued = false
}

/// Reads the rows of a source's file in order.
protocol SourceFileRows {
  /// The version of the list, once all rows are read; nil where the file has none.
  var version: Int64? { get }

  /// The next row; nil at the end.
  /// - Throws: `SourceFailure`, `ImportFileError`.
  mutating func next() throws -> SourceFileRow.Outcome?
}

/// Reads the bytes of a file one by one.
final class SourceBytes {
  private let file: FileBytes
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
  private var position = 0
  private var end = 0

  /// - Throws: ``ImportFileError``.
  init(path: String) throws(ImportFileError) {
    file = try FileBytes(path: path, isCancelled: { false })
  }

  deinit { buffer.deallocate() }

  /// The next byte; nil at the end.
  func next() throws -> UInt8? {
    if position == end {
      end = try file.read(into: buffer)
      position = 0
      if end == 0 { return nil }
    }
    defer { position += 1 }
    return buffer[position]
  }
}
