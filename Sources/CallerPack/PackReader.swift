/// Reads a pack. Opening reads the header and the index only; a reader may be shared between threads.
public final class PackReader: Sendable {
  /// What the first 128 bytes say.
  public let header: PackHeader
  package let source: PackSource
  let index: PackIndex
  let dictionaryChecksum: UInt32
  private let dictionaryOnce = Once<PackDictionary>()

  /// Opens a pack without loading it.
  /// - Parameter memoryLimit: bytes that a cursor may take; a pack that declares more is refused with `tooLarge`.
  /// - Throws: ``PackError``: `inputOutput`, `notAPack`, `unsupported`, `wrongLength`, `corrupt`, `malformed`, `tooLarge`.
  public static func open(path: String, memoryLimit: Int = .max) throws(PackError) -> PackReader {
    let reader = try PackReader(source: PackSource.open(path: path))
    guard reader.header.readerBytes <= memoryLimit else {
      throw PackError(
        .tooLarge, "the pack needs more memory than there is", expected: "\(memoryLimit) bytes at most",
        got: "\(reader.header.readerBytes)", remedy: "write it with the lean profile")
    }
    return reader
  }

  /// Reads a pack that is in memory already.
  /// - Throws: the same as ``open(path:)``, without `inputOutput`.
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

  /// The dictionary, read at the first call and kept as long as the reader; `nil` when the pack has none.
  package func dictionary() throws(PackError) -> PackDictionary? {
    guard header.dictionaryStoredBytes > 0 else { return nil }
    return try dictionaryOnce.value { () throws(PackError) in
      try PackDictionary.load(
        source, at: PackHeader.byteCount,
        .init(
          stored: header.dictionaryStoredBytes, text: header.dictionaryTextBytes, tokens: header.dictionaryTokens,
          checksum: dictionaryChecksum))
    }
  }

  /// The dictionary as it is stored.
  package func storedDictionary() throws(PackError) -> (bytes: [UInt8], checksum: UInt32) {
    (try source.bytes(at: PackHeader.byteCount, count: header.dictionaryStoredBytes), dictionaryChecksum)
  }

  /// A cursor before the first entry.
  /// - Throws: ``PackError`` when the dictionary cannot be read.
  public func makeCursor() throws(PackError) -> PackCursor { try PackCursor(self) }

  /// A cursor before the first entry whose number is at least `number`.
  /// - Throws: ``PackError`` when the dictionary or the block cannot be read.
  public func makeCursor(from number: Int64) throws(PackError) -> PackCursor {
    let cursor = try PackCursor(self)
    try cursor.seek(number)
    return cursor
  }

  /// The entry with this number, or `nil`. Decodes one block.
  ///
  /// For many lookups in a row, ``PackCursor/lookup(_:)`` on one cursor is faster: it keeps its memory and its block.
  /// - Throws: ``PackError`` when the block cannot be read.
  public func lookup(_ number: Int64) throws(PackError) -> PackEntry? {
    guard index.block(for: number) != nil, number <= header.lastNumber else { return nil }
    return try makeCursor().lookup(number)
  }

  /// The SHA-256 of the whole pack, as deltas and manifests name it.
  /// - Throws: ``PackError`` with `inputOutput`.
  public func digest() throws(PackError) -> PackDigest { try source.digest() }
}
