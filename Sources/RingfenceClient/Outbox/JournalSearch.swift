// SPDX-License-Identifier: Apache-2.0

/// Finds every intact record in a file, even if the file is damaged.
///
/// Where no record starts, the search continues one byte later. Bytes are taken for a record by mistake only if their
/// checksum matches: payloads are JSON, which has no byte below 32 and therefore no allowed length, or ids.
struct JournalSearch {
  private(set) var records: [JournalRecord] = []
  /// The end of the last record.
  private(set) var end: Int
  /// The number of bytes before ``end`` that belong to no record.
  private(set) var skipped = 0
  /// Whether the bytes after ``end`` are the start of a record that was being written when the app died, or empty.
  let isTorn: Bool

  /// Searches the records of a file.
  /// - Parameter start: the position of the first record.
  init(_ bytes: [UInt8], from start: Int) {
    var place = start
    var end = start
    while place < bytes.count {
      guard let record = JournalRecord(bytes, at: place) else {
        place += 1
        continue
      }
      skipped += place - end
      records.append(record)
      place += record.size
      end = place
    }
    self.end = end
    isTorn = Self.isTorn(bytes, from: end)
  }

  private static func isTorn(_ bytes: [UInt8], from place: Int) -> Bool {
    guard place + JournalRecord.overhead <= bytes.count else { return true }
    let length = JournalRecord.length(bytes, at: place)
    if length <= JournalRecord.longest, place + JournalRecord.overhead + length > bytes.count { return true }
    // Some systems extend a file before they write its content.
    return bytes[place...].allSatisfy { $0 == 0 }
  }
}
