// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// One record of the outbox's file: 4 bytes length of the payload, 4 bytes CRC-32 of length, kind and payload, 1 byte
/// kind, payload. Integers are little-endian.
struct JournalRecord: Equatable {
  enum Kind: UInt8 {
    /// A report was accepted: the JSON that is sent.
    case report = 1
    /// Reports that were sent or dropped: 16 bytes of id each.
    case settled = 2
    /// Calls were counted: an item's JSON.
    case calls = 3
    /// Counts that became a batch: the JSON that is sent.
    case sealed = 4
    /// A batch that was sent or dropped: its id, then the day of its calls.
    case batchSettled = 5
    /// A report that must be withdrawn: its id.
    case withdrawal = 6
    /// A withdrawal that was sent: the report's id.
    case withdrawalSettled = 7
    /// A call that matched a list: an item's JSON, without its number.
    case remediation = 8
    /// Calls of a day that were sent or dropped: the day.
    case remediationsSettled = 9
  }

  static let overhead = 9
  /// The longest payload in bytes: a batch of 1,000 items has about 90 KB.
  static let longest = 1 << 20

  let kind: Kind
  let payload: [UInt8]

  init(_ kind: Kind, _ payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  init(_ kind: Kind, ids: [UUID]) { self.init(kind, ids.flatMap(\.octets)) }

  /// Creates the record of a batch that was sent or dropped.
  /// - Parameter day: the day of its calls, so that its counts are known if the record of the batch is damaged.
  init(settledBatch id: UUID, day: String) { self.init(.batchSettled, id.octets + Array(day.utf8)) }

  /// The ids in the payload.
  var ids: [UUID] { stride(from: 0, to: payload.count - 15, by: 16).map { UUID(octets: payload[$0..<$0 + 16]) } }

  /// The day of a batch that was sent or dropped; nil for other records.
  var day: String? {
    kind == .batchSettled && payload.count > 16 ? String(decoding: payload[16...], as: UTF8.self) : nil
  }

  var size: Int { Self.overhead + payload.count }

  func append(to bytes: inout [UInt8]) {
    let length = Self.bytes(UInt32(payload.count))
    bytes += length + Self.bytes(checksum(length + [kind.rawValue] + payload)) + [kind.rawValue] + payload
  }

  /// Reads the record at `place`; nil when there is none, or it is incomplete or damaged.
  init?(_ bytes: [UInt8], at place: Int) {
    guard place + Self.overhead <= bytes.count, let kind = Kind(rawValue: bytes[place + 8]) else { return nil }
    let end = place + Self.overhead + Self.length(bytes, at: place)
    guard Self.length(bytes, at: place) <= Self.longest, end <= bytes.count else { return nil }
    let sum = bytes.withUnsafeBytes { bytes in
      CallerPack.checksum(
        UnsafeRawBufferPointer(rebasing: bytes[place + 8..<end]),
        after: CallerPack.checksum(UnsafeRawBufferPointer(rebasing: bytes[place..<place + 4])))
    }
    guard sum == Self.integer(bytes[place + 4..<place + 8]) else { return nil }
    self.init(kind, Array(bytes[place + Self.overhead..<end]))
  }

  /// Returns the payload's length according to the four bytes at `place`.
  static func length(_ bytes: [UInt8], at place: Int) -> Int { Int(integer(bytes[place..<place + 4])) }

  private static func bytes(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension UUID {
  fileprivate var octets: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  /// Creates an id from 16 bytes.
  fileprivate init(octets: ArraySlice<UInt8>) {
    self.init(uuid: Array(octets).withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}

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
