/// Some records of a file, as bytes, in order.
struct RecordChunk: Sendable {
  struct Record: Sendable {
    var line: Int
    var start: Int
    var end: Int
    /// What is wrong with the record as such.
    var problem: RejectReason?
  }

  var bytes: [UInt8] = []
  var records: [Record] = []
  /// Where the file was when the chunk was read.
  var bytesRead: UInt64 = 0
  var totalBytes: UInt64?

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, problem: RejectReason? = nil) {
    let start = self.bytes.count
    self.bytes.append(contentsOf: bytes)
    records.append(Record(line: line, start: start, end: self.bytes.count, problem: problem))
  }
}
