// SPDX-License-Identifier: Apache-2.0

/// Reads a pack. Opening reads only the header and the index; several threads may share a reader.
///
/// ```swift
/// let reader = try PackReader.open(path: "toxic.rfpack", memoryLimit: 1_000_000)
/// if let entry = try reader.lookup(49_30_1234) { print(entry.label ?? "blocked") }
/// ```
///
/// ``verify()`` checks all bytes, and so does a walk over all entries. A reader that only looks numbers up finds a broken
/// rule in the blocks that it reads.
public final class PackReader: Sendable {
  /// The header of the pack.
  public let header: PackHeader
  package let source: PackSource
  let index: PackIndex
  let dictionaryChecksum: UInt32
  private let lazyDictionary = LazyValue<PackDictionary>()

  /// Opens a pack without loading it.
  /// - Parameters:
  ///   - path: the file.
  ///   - memoryLimit: bytes that a cursor may need; a pack that declares more is refused with `tooLarge`.
  /// - Throws: ``PackError``: `inputOutput`, `notAPack`, `unsupported`, `wrongLength`, `corrupt`, `malformed`,
  ///   `tooLarge`.
  public static func open(path: String, memoryLimit: Int = .max) throws(PackError) -> PackReader {
    let reader = try PackReader(source: PackSource.open(path: path))
    guard reader.header.readerBytes <= memoryLimit else {
      throw PackError(
        .tooLarge, "the pack needs more memory than there is", expected: "\(memoryLimit) bytes at most",
        got: "\(reader.header.readerBytes)", remedy: "write it with the lean profile")
    }
    return reader
  }

  /// Reads a pack that is in memory.
  /// - Parameter bytes: the complete pack.
  /// - Throws: the same as ``open(path:memoryLimit:)``, without `inputOutput`.
  public convenience init(bytes: [UInt8]) throws(PackError) {
    try self.init(source: PackSource(bytes: bytes))
  }

  package init(source: PackSource) throws(PackError) {
    self.source = source
    let start = try source.bytes(at: 0, count: min(PackHeader.byteCount, source.count))
    let indexChecksum: UInt32
    (header, indexChecksum, dictionaryChecksum) = try PackHeader.decode(start)
    guard header.fileBytes == source.count else {
      throw PackError(
        .wrongLength, "the file has another length than its header declares", expected: "\(header.fileBytes) bytes",
        got: "\(source.count)", remedy: "fetch it again")
    }
    index = try PackIndex(source, header, checksum: indexChecksum)
  }

  /// Returns the dictionary, which is read at the first call and kept as long as the reader; `nil` when the pack has
  /// none.
  package func dictionary() throws(PackError) -> PackDictionary? {
    guard header.dictionaryStoredBytes > 0 else { return nil }
    return try lazyDictionary.value { () throws(PackError) in
      try PackDictionary.load(
        source, at: PackHeader.byteCount,
        .init(
          stored: header.dictionaryStoredBytes, text: header.dictionaryTextBytes, tokens: header.dictionaryTokens,
          checksum: dictionaryChecksum))
    }
  }

  /// Returns the dictionary in its stored form.
  package func storedDictionary() throws(PackError) -> (bytes: [UInt8], checksum: UInt32) {
    (try source.bytes(at: PackHeader.byteCount, count: header.dictionaryStoredBytes), dictionaryChecksum)
  }

  /// The least number; `nil` when there are no entries.
  public var firstNumber: Int64? { index.count > 0 ? index[0].first : nil }

  /// Creates a cursor before the first entry.
  /// - Throws: ``PackError`` when the dictionary cannot be read.
  public func makeCursor() throws(PackError) -> PackCursor { try PackCursor(self) }

  /// Creates a cursor before the first entry whose number is at least `number`.
  /// - Throws: ``PackError`` when the dictionary or the block cannot be read.
  public func makeCursor(from number: Int64) throws(PackError) -> PackCursor {
    let cursor = try PackCursor(self)
    try cursor.seek(number)
    return cursor
  }

  /// Returns the entry with this number, or `nil`. Decodes one block.
  ///
  /// For many lookups, ``PackCursor/lookup(_:)`` on one cursor is faster: the cursor keeps its memory and its block.
  /// - Parameter number: country code and national digits.
  /// - Throws: ``PackError`` when the block cannot be read.
  public func lookup(_ number: Int64) throws(PackError) -> PackEntry? {
    guard index.block(for: number) != nil, number <= header.lastNumber else { return nil }
    return try makeCursor().lookup(number)
  }

  /// Computes the SHA-256 of the file, as deltas and manifests name it.
  /// - Throws: ``PackError`` with `inputOutput`.
  public func digest() throws(PackError) -> PackDigest { try source.digest() }
}

extension PackReader {
  /// Checks everything in the pack: checksums, order, counts, roles, labels, UTF-8 and the declared maxima.
  /// - Throws: ``PackError`` for the first broken rule.
  public func verify() throws(PackError) {
    let cursor = try makeCursor()
    var last: Int64 = 0, entries = 0
    while try cursor.next() {
      guard cursor.number > last, cursor.number <= PackLimits.maxNumber else {
        throw PackError(.malformed, "numbers do not ascend", got: "\(cursor.number) after \(last)", entry: entries)
      }
      last = cursor.number
      entries += 1
    }
    try PackHeader.check("entries", declared: header.entryCount, found: entries)
  }
}

/// The rule of well-formed UTF-8: Unicode 16, table 3-7.
package enum UTF8Rule {
  /// Returns whether the bytes are well-formed UTF-8.
  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at < bytes.count {
      let lead = bytes[at]
      if lead < 0x80 {
        let isEight =
          at + 8 <= bytes.count
          && bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        at += isEight ? 8 : 1
        continue
      }
      let (more, low, high): (Int, UInt8, UInt8)
      switch lead {
      case 0xC2...0xDF: (more, low, high) = (1, 0x80, 0xBF)
      case 0xE0: (more, low, high) = (2, 0xA0, 0xBF)
      case 0xED: (more, low, high) = (2, 0x80, 0x9F)
      case 0xE1...0xEF: (more, low, high) = (2, 0x80, 0xBF)
      case 0xF0: (more, low, high) = (3, 0x90, 0xBF)
      case 0xF1...0xF3: (more, low, high) = (3, 0x80, 0xBF)
      case 0xF4: (more, low, high) = (3, 0x80, 0x8F)
      default: return false
      }
      guard at + more < bytes.count, bytes[at + 1] >= low, bytes[at + 1] <= high else { return false }
      var next = 2
      while next <= more {
        guard bytes[at + next] & 0xC0 == 0x80 else { return false }
        next += 1
      }
      at += more + 1
    }
    return true
  }
}
