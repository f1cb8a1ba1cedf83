// SPDX-License-Identifier: Apache-2.0

import CallerPack
public import Foundation

/// The numbers that a user blocked or named, and those that the user does not want blocked or named.
///
/// A statement of the user overrides every pack. Removing a number leaves a removal mark: the number stays unblocked
/// (or unnamed) even if a pack lists it, until the user adds it again or ``forget(_:)`` deletes the mark. The list is
/// small: the app holds it in memory, and the extension reads its file one entry at a time.
///
/// ```swift
/// var list = try PersonalList(contentsOf: file)
/// try list.block(49_30_1234)
/// try list.identify(49_30_5678, label: "Dentist")
/// try list.write(to: file)
/// ```
public struct PersonalList: Sendable, Equatable {
  /// A user's statement about one number, for blocking or for naming.
  public struct Entry: Sendable, Equatable {
    /// Country code and national digits without a plus.
    public var number: Int64
    /// The name to show; nil in the list of blocked numbers.
    public var label: String?
    /// The time of the user's last change.
    public var modified: Date
    /// Whether the entry is a removal mark.
    public var isRemoved: Bool
  }

  /// The statements about one number.
  struct Record: Sendable, Equatable {
    var blocked: Statement?
    var identified: Statement?
    var label = ""

    struct Statement: Sendable, Equatable {
      var modified: Date
      var isRemoved: Bool
    }
  }

  var records: [Int64: Record] = [:]

  /// Creates an empty list.
  public init() {}

  /// The numbers that the user blocks, ascending.
  public var blocked: [Entry] { blockedWithMarks.filter { !$0.isRemoved } }

  /// The numbers that the user named, ascending.
  public var identified: [Entry] { identifiedWithMarks.filter { !$0.isRemoved } }

  /// The blocked numbers and removal marks, ascending.
  public var blockedWithMarks: [Entry] {
    entries { record in record.blocked.map { ($0, nil) } }
  }

  /// The named numbers and removal marks, ascending.
  public var identifiedWithMarks: [Entry] {
    entries { record in record.identified.map { ($0, record.label) } }
  }

  /// Blocks a number and deletes its removal mark.
  /// - Parameters:
  ///   - number: country code and national digits, 1 to 999,999,999,999,999.
  ///   - time: the time of the change.
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range.
  public mutating func block(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].blocked = .init(modified: time, isRemoved: false)
  }

  /// Names a number, replaces its name, and deletes its removal mark.
  /// - Parameters:
  ///   - number: country code and national digits, 1 to 999,999,999,999,999.
  ///   - label: 1 to 65,534 bytes of UTF-8; the system drops other entries silently.
  ///   - time: the time of the change.
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number or label out of range.
  public mutating func identify(_ number: Int64, label: String, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    guard !label.isEmpty, label.utf8.count < CallDirectoryLimits.droppedLabelBytes else {
      throw .entry(number: number, rule: "a label has 1 to 65,534 bytes")
    }
    records[number, default: Record()].identified = .init(modified: time, isRemoved: false)
    records[number]?.label = label
  }

  /// Unblocks a number, even if a pack blocks it.
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range.
  public mutating func removeBlocked(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].blocked = .init(modified: time, isRemoved: true)
  }

  /// Removes a number's name, even if a pack names it.
  /// - Throws: ``CallDirectoryError/entry(number:rule:)`` for a number out of range.
  public mutating func removeIdentified(_ number: Int64, at time: Date = Date()) throws(CallDirectoryError) {
    try Self.check(number)
    records[number, default: Record()].identified = .init(modified: time, isRemoved: true)
  }

  /// Unblocks every number that the user blocked.
  public mutating func removeAllBlocked(at time: Date = Date()) {
    for (number, record) in records where record.blocked?.isRemoved == false {
      records[number]?.blocked = .init(modified: time, isRemoved: true)
    }
  }

  /// Removes every name that the user gave.
  public mutating func removeAllIdentified(at time: Date = Date()) {
    for (number, record) in records where record.identified?.isRemoved == false {
      records[number]?.identified = .init(modified: time, isRemoved: true)
    }
  }

  /// Deletes all statements about a number, so that the packs decide again.
  public mutating func forget(_ number: Int64) { records[number] = nil }

  private func entries(_ statement: (Record) -> (Record.Statement, String?)?) -> [Entry] {
    records.compactMap { number, record in
      statement(record).map {
        Entry(number: number, label: $0.1, modified: $0.0.modified, isRemoved: $0.0.isRemoved)
      }
    }.sorted { $0.number < $1.number }
  }

  private static func check(_ number: Int64) throws(CallDirectoryError) {
    guard (PackLimits.minNumber...PackLimits.maxNumber).contains(number) else {
      throw .entry(number: number, rule: "a number has 1 to 15 digits and does not begin with 0")
    }
  }
}

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
