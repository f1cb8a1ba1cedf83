// SPDX-License-Identifier: Apache-2.0

/// `[uint16 length][uint64 number][UTF-8 name]`, little-endian, consecutive, ascending.
///
/// The length includes the number's eight bytes and the name, but not itself: a name has at most 65,527 bytes.
struct TwoGISEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome {
    let name = entry.label ?? ""
    let length = name.utf8.count + 8
    guard let stored = UInt16(exactly: length) else {
      throw PackFormatError.entry(number: entry.number, rule: "a name has at most 65,527 bytes in 2GIS records")
    }
    bytes.append(littleEndian: stored)
    bytes.append(littleEndian: UInt64(entry.number))
    bytes.append(name)
    return .written
  }
}
