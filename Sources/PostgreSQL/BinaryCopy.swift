// SPDX-License-Identifier: Apache-2.0

/// Writes the stream of a binary COPY: a header, tuples, an end.
///
/// Source: PostgreSQL's documentation of COPY, "Binary Format".
struct BinaryCopyEncoder: Sendable {
  static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
  private static let chunkSize = 131_072
  private var tuple: PostgresCopyTuple
  private var rowCount = 0

  init() {
    tuple = PostgresCopyTuple(buffer: PostgresByteBuffer())
    tuple.buffer.bytes = Self.header
  }

  /// An encoder without a header, for rows that follow others.
  init(capacity: Int) {
    tuple = PostgresCopyTuple(buffer: PostgresByteBuffer())
    tuple.buffer.bytes.reserveCapacity(capacity)
  }

  /// Bytes that were written and not yet taken.
  var bytes: [UInt8] { tuple.buffer.bytes }

  var isFull: Bool { tuple.buffer.bytes.count >= Self.chunkSize }

  mutating func append(_ row: some PostgresCopyRow) throws {
    try append { row.encode(into: &$0) }
  }

  mutating func append(encode: (inout PostgresCopyTuple) -> Void) throws {
    let start = tuple.buffer.bytes.count
    tuple.count = 0
    tuple.buffer.append(integer: Int16(0))
    encode(&tuple)
    tuple.buffer.patch(tuple.count, at: start)
    rowCount += 1
    if let reason = tuple.buffer.failure {
      throw PostgresError(.encoding(parameter: Int(tuple.failedColumn ?? 0), reason: "in row \(rowCount), \(reason)"))
    }
  }

  mutating func takeChunk() -> [UInt8] {
    var chunk: [UInt8] = []
    chunk.reserveCapacity(Self.chunkSize + 4_096)
    swap(&chunk, &tuple.buffer.bytes)
    return chunk
  }

  mutating func takeEnd() -> [UInt8] {
    tuple.buffer.append(integer: Int16(-1))
    return takeChunk()
  }
}

/// Reads the stream of a binary COPY, in chunks that end where rows do.
enum BinaryCopyDecoder {
  static func rows<Row>(of chunk: [UInt8], _ read: (inout PostgresTuple) throws -> Row) throws -> [Row] {
    try chunk.withUnsafeBytes { bytes in
      var start = 0
      if bytes.count >= 19, bytes.starts(with: BinaryCopyEncoder.header.prefix(11)) {
        start = 19 + Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 15, as: Int32.self)))
      }
      var rows: [Row] = []
      rows.reserveCapacity(bytes.count / 64)
      var tuple = PostgresTuple(bytes: bytes, offset: start)
      while tuple.begin() {
        rows.append(try read(&tuple))
        guard tuple.isReadable else {
          throw PostgresError(.decoding(column: "of the COPY", expected: "the columns it names", got: "others"))
        }
      }
      return rows
    }
  }
}
