// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The fields of one row; without quotes they are read in place.
struct DirectoryRow {
  private var quoted = CSVRow()
  private var isQuoted = false
  private var record = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var ends: [Int] = []

  var count: Int { isQuoted ? quoted.count : ends.count }

  /// A field's bytes, valid as long as the record.
  subscript(index: Int) -> [UInt8] {
    if isQuoted { return Array(quoted[index]) }
    return Array(record[(index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]])
  }

  /// Passes a field's bytes to `body`.
  func withField<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    guard isQuoted else {
      return try body(UnsafeBufferPointer(rebasing: record[(index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]]))
    }
    return try quoted[index].withUnsafeBufferPointer(body)
  }

  /// Reads a record; false when its quotes are invalid.
  mutating func read(_ record: UnsafeBufferPointer<UInt8>, isCSV: Bool) -> Bool {
    self.record = record
    isQuoted = isCSV && record.contains(CSVScanner.quote)
    if isQuoted { return quoted.read(record) }
    ends.removeAll(keepingCapacity: true)
    guard let base = record.baseAddress else {
      ends.append(0)
      return true
    }
    let separator = Int32(isCSV ? CSVScanner.comma : 0x09)
    var at = 0
    while at <= record.count, let found = memchr(base + at, separator, record.count - at) {
      let end = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      ends.append(end)
      at = end + 1
    }
    ends.append(record.count)
    return true
  }
}
