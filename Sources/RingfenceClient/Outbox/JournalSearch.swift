/// What a file of records holds, however it was damaged: every record that is whole by its length and checksum.
///
/// Where no record begins, the next one is looked for byte by byte. A record is taken for one by chance, or because
/// another holds its bytes, only with a checksum that fits: payloads are JSON, which has no byte below 32 and so no
/// length that is allowed, or ids.
struct JournalSearch {
  private(set) var records: [JournalRecord] = []
  /// Where the last record ends.
  private(set) var end: Int
  /// Bytes before ``end`` that belong to no record.
  private(set) var skipped = 0
  /// Whether what lies behind ``end`` is the beginning of a record that was being written when the app died, or nothing.
  let isTorn: Bool

  /// - Parameter start: where the first record begins.
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
    // Some systems make a file longer before they write what is in it.
    return bytes[place...].allSatisfy { $0 == 0 }
  }
}
