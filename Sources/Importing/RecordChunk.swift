// SPDX-License-Identifier: Apache-2.0

/// Some records of a file, as bytes, in order.
struct RecordChunk: Sendable {
  struct Record: Sendable {
    var line: Int
    var start: Int
    var end: Int
    /// The problem of the record itself; nil where there is none.
    var problem: RejectReason?
  }

  var bytes: [UInt8] = []
  var records: [Record] = []
  /// Bytes of the file that were read up to the chunk.
  var bytesRead: UInt64 = 0
  var totalBytes: UInt64?

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, problem: RejectReason? = nil) {
    let start = self.bytes.count
    self.bytes.append(contentsOf: bytes)
    records.append(Record(line: line, start: start, end: self.bytes.count, problem: problem))
  }
}
