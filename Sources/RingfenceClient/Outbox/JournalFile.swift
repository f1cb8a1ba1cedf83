// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An append-only file of records, until it is rewritten. Records of a durable ``append(_:isDurable:)`` survive crashes
/// of the app and the phone. A record that was being written during a crash is cut off at the next opening. Damage
/// costs only the records in which it lies.
final class JournalFile {
  /// `RFOUT`, version 1. Records are read even if the header is damaged, so a later version must start its checksums
  /// differently.
  static let header: [UInt8] = Array("RFOUT".utf8) + [0, 0, 1]

  private let path: String
  private var descriptor: Int32
  /// The number of valid bytes.
  private(set) var length: Int
  /// After a write that could not be undone, nothing is appended any more.
  private var isBroken = false

  /// Opens or creates the file. A damaged file is replaced by its intact records, and kept as `.damaged`.
  /// - Returns: the file, its records, and its damage.
  static func open(
    _ path: String
  ) throws(ClientError) -> (file: JournalFile, records: [JournalRecord], damage: OutboxDamage?) {
    let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw ClientFiles.failure("open the outbox") }
    let bytes: [UInt8]
    do {
      bytes = try Self.content(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    let file = JournalFile(path: path, descriptor: descriptor, length: bytes.count)
    // An incomplete header belongs to a file that was being created.
    guard bytes.count >= header.count else {
      try file.begin()
      return (file, [], bytes.isEmpty ? nil : OutboxDamage(bytes: bytes.count, copy: nil))
    }
    let found = JournalSearch(bytes, from: header.count)
    let isOurs = bytes.starts(with: header)
    let lost = found.skipped + bytes.count - found.end + (isOurs ? 0 : header.count)
    if isOurs, found.skipped == 0, found.isTorn {
      if lost > 0 { try file.cut(to: found.end) }
      return (file, found.records, lost > 0 ? OutboxDamage(bytes: lost, copy: nil) : nil)
    }
    let copy = path + ".damaged"
    try ClientFiles.keep(path, as: copy)
    try file.rewrite(found.records)
    return (file, found.records, OutboxDamage(bytes: lost, copy: URL(fileURLWithPath: copy)))
  }

  /// Writes the header of a new file.
  private func begin() throws(ClientError) {
    try cut(to: 0)
    try write(Self.header)
    try flush()
    try ClientFiles.flush(parentFolder(of: path))
  }

  private init(path: String, descriptor: Int32, length: Int) {
    self.path = path
    self.descriptor = descriptor
    self.length = length
  }

  deinit { close(descriptor) }

  /// Appends records, all or none.
  /// - Parameter isDurable: whether the records must be on the disk when this returns.
  func append(_ records: [JournalRecord], isDurable: Bool) throws(ClientError) {
    guard !isBroken else { throw .file(operation: "write the outbox", code: EIO) }
    var bytes: [UInt8] = []
    for record in records { record.append(to: &bytes) }
    let before = length
    do {
      try write(bytes)
      if isDurable { try flush() }
    } catch {
      // After a failed flush the content of the disk is unknown, so the records are cut off again.
      do { try cut(to: before) } catch { isBroken = true }
      throw error
    }
  }

  /// Replaces all records in one step.
  func rewrite(_ records: [JournalRecord]) throws(ClientError) {
    var bytes = Self.header
    for record in records { record.append(to: &bytes) }
    try ClientFiles.replace(path, with: Data(bytes))
    let fresh = systemOpen(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard fresh >= 0, lseek(fresh, 0, SEEK_END) == bytes.count else {
      isBroken = true
      throw ClientFiles.failure("open the outbox")
    }
    close(descriptor)
    descriptor = fresh
    length = bytes.count
    isBroken = false
  }

  private func write(_ bytes: [UInt8]) throws(ClientError) {
    guard writeAll(bytes, to: descriptor) else { throw ClientFiles.failure("write the outbox") }
    length += bytes.count
  }

  private func flush() throws(ClientError) {
    guard flushToDisk(descriptor) else { throw ClientFiles.failure("flush the outbox") }
  }

  private func cut(to length: Int) throws(ClientError) {
    guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, off_t(length), SEEK_SET) == length,
      flushToDisk(descriptor)
    else { throw ClientFiles.failure("cut the outbox") }
    self.length = length
  }

  private static func content(_ descriptor: Int32) throws(ClientError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = uninterrupted { read(descriptor, &piece, piece.count) }
      guard count >= 0 else { throw ClientFiles.failure("read the outbox") }
      if count == 0 { return bytes }
      bytes += piece[0..<count]
    }
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
