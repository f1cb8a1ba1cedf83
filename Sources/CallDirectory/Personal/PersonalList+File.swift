// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The file format: `RFPL`, uint32 version 1, uint64 count, then one record a number, ascending: int64 number; uint8
/// flags (1 blocked, 2 its removal mark, 4 identified, 8 its removal mark); two float64 times in seconds since
/// 2001-01-01 (0 without a statement); uint16 label bytes; the label in UTF-8. All integers are little-endian.
extension PersonalList {
  static let magic = Array("RFPL".utf8)
  static let version: UInt32 = 1

  /// Reads a list; a missing file is an empty list.
  /// - Parameter file: a file that ``write(to:)`` has written.
  /// - Throws: ``CallDirectoryError/damaged(path:rule:)`` and ``CallDirectoryError/file(path:operation:code:)``.
  public init(contentsOf file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    let cursor = try PersonalCursor(path: file.path)
    while try cursor.next() {
      var record = Record()
      if cursor.blocks != nil {
        record.blocked = .init(modified: cursor.blockedModified, isRemoved: cursor.blocks == false)
      }
      if cursor.identifies != nil {
        record.identified = .init(modified: cursor.identifiedModified, isRemoved: cursor.identifies == false)
      }
      record.label = String(decoding: cursor.label, as: UTF8.self)
      records[cursor.number] = record
    }
  }

  /// Replaces the file and flushes it to the disk. The same list gives the same bytes.
  /// - Throws: ``CallDirectoryError/file(path:operation:code:)``.
  public func write(to file: URL) throws {
    let folder = StoreFolder(path: file.deletingLastPathComponent().path, killSwitch: nil)
    try folder.replace(file.lastPathComponent, with: bytes)
  }

  var bytes: [UInt8] {
    var bytes = Self.magic
    func append<Value: FixedWidthInteger>(_ value: Value) {
      Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
    append(Self.version)
    append(UInt64(records.count))
    for (number, record) in records.sorted(by: { $0.key < $1.key }) {
      append(number)
      let blocked: UInt8 = record.blocked.map { $0.isRemoved ? 3 : 1 } ?? 0
      let identified: UInt8 = record.identified.map { $0.isRemoved ? 12 : 4 } ?? 0
      append(blocked | identified)
      append((record.blocked?.modified.timeIntervalSinceReferenceDate ?? 0).bitPattern)
      append((record.identified?.modified.timeIntervalSinceReferenceDate ?? 0).bitPattern)
      append(UInt16(record.label.utf8.count))
      bytes.append(contentsOf: record.label.utf8)
    }
    return bytes
  }
}
