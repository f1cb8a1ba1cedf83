// SPDX-License-Identifier: Apache-2.0

/// Encodes entries in one format.
protocol RecordEncoding {
  /// Appends the bytes before the first record.
  mutating func begin(into bytes: inout [UInt8])
  /// Appends one record, or nothing if the format omits the entry.
  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome
  /// Appends the bytes after the last record.
  mutating func end(into bytes: inout [UInt8])
  /// Whether the format has numbers that have left the list; others omit them.
  static var hasRemovals: Bool { get }
}

extension RecordEncoding {
  static var hasRemovals: Bool { false }
  mutating func begin(into bytes: inout [UInt8]) {}
  mutating func end(into bytes: inout [UInt8]) {}
}

/// The writer of all formats that consist of consecutive records in a file.
final class RecordWriter<Encoding: RecordEncoding>: EntryWriter {
  private var encoding: Encoding
  private var rules = EntryRules()
  private var summary = ExportSummary()
  private var pending: [UInt8] = []
  private let output: OutputFile
  private let gzip: GzipStream?

  /// Bytes that are collected before they are written.
  private static var chunk: Int { 65_536 }

  init(_ encoding: Encoding, to output: ExportOutput, gzip: Bool = false) throws {
    self.encoding = encoding
    self.output = try OutputFile(output)
    self.gzip = gzip ? try GzipStream(into: self.output) : nil
    pending.reserveCapacity(Self.chunk + 4_096)
    self.encoding.begin(into: &pending)
  }

  func append(_ entry: ListEntry) throws {
    try rules.admit(entry)
    let isOmitted = entry.isRemoved && !Encoding.hasRemovals
    summary.count(isOmitted ? .notBlocking : try encoding.encode(entry, into: &pending))
    if pending.count >= Self.chunk { try flush() }
  }

  func finish() throws -> ExportSummary {
    encoding.end(into: &pending)
    try flush()
    try gzip?.finish()
    try output.commit()
    return summary
  }

  private func flush() throws {
    try pending.withUnsafeBytes { bytes in
      if let gzip { try gzip.write(bytes) } else { try output.write(bytes) }
    }
    pending.removeAll(keepingCapacity: true)
  }
}
