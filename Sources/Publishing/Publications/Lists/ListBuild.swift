// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PackDatabases
import PackFormats

/// Writes the numbers of a pack in another format: those that are to be blocked, or all.
struct ListBuild: Sendable {
  let folder: PublicationFolder
  let pack: ManifestPack
  let format: ListFormat
  /// The earlier pack from which on the changes are written; nil for the complete list.
  let base: String?
  /// Whether numbers that are only labeled are written, too.
  let hasLabeled: Bool
  /// The numbers to block, the most reported first: those that a format with a limit keeps.
  let hottest: @Sendable () async throws -> [Int64]

  func write(_ path: String) async throws {
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    var options = ExportOptions(for: pack, reader.header)
    options.phonebookLimit = ListFormat.fritzbox.maximumEntries ?? options.phonebookLimit
    // Read before the file is begun.
    let shortened = try await shortened(reader)
    let writer = try format.writer(to: .file(URL(filePath: path)), options: options)
    if let shortened {
      for entry in shortened { try writer.append(entry) }
    } else if let base = try smallEnough(reader) {
      var entries = try ListEntries(reader, since: base)
      while let entry = try entries.next() { try writer.append(entry) }
    } else {
      try ListEntry.forEach(of: reader, blocksOnly: !hasLabeled, writer.append)
    }
    _ = try writer.finish()
  }

  /// The earlier pack, unless the changes of millions of numbers are longer than the complete list of their ranges.
  private func smallEnough(_ reader: PackReader) throws -> PackReader? {
    try base.map { try PackReader.open(path: $0) }.flatMap { base in
      max(base.header.entryCount, reader.header.entryCount) <= PackLimits.callDirectoryEntries ? base : nil
    }
  }

  /// As many numbers to block as the format can have, in ascending order; nil where all have room.
  private func shortened(_ reader: PackReader) async throws -> [ListEntry]? {
    guard let limit = format.maximumEntries, reader.header.blockingCount > limit else { return nil }
    let ranks = Dictionary(try await hottest().enumerated().map { ($1, $0) }) { first, _ in first }
    var list = BlockingEntries(try reader.makeCursor())
    var kept: [(rank: Int, entry: ListEntry)] = []
    // Numbers without a rank, such as numbers of ranges, fill the rest in ascending order.
    var others: [ListEntry] = []
    while let entry = try list.next() {
      if let rank = ranks[entry.number] {
        kept.append((rank, entry))
      } else if others.count < limit {
        others.append(entry)
      }
    }
    return (kept.sorted { $0.rank < $1.rank }.map(\.entry) + others).prefix(limit).sorted { $0.number < $1.number }
  }
}

/// The numbers of a pack that block, or what has changed since an earlier one: the numbers that are new or have another
/// label, and those that have left the list.
struct ListEntries {
  private var list: BlockingEntries
  /// The earlier pack; nil for the complete list.
  private var base: BlockingEntries?
  private var old: ListEntry?
  private var new: ListEntry?

  /// - Parameter base: the earlier pack from which on the changes are wanted; nil for the complete list.
  init(_ reader: PackReader, since base: PackReader?) throws {
    list = BlockingEntries(try reader.makeCursor())
    self.base = try base.map { BlockingEntries(try $0.makeCursor()) }
    old = try self.base?.next()
    new = try list.next()
  }

  mutating func next() throws -> ListEntry? {
    while old != nil || new != nil {
      if var removed = old, removed.number < new?.number ?? .max {
        (removed.label, removed.blocks, removed.isRemoved) = (nil, false, true)
        old = try base?.next()
        return removed
      }
      guard let entry = new else { return nil }
      let isChanged = entry != old
      if old?.number == entry.number { old = try base?.next() }
      new = try list.next()
      if isChanged { return entry }
    }
    return nil
  }
}

extension ListEntry {
  /// Passes on the entries of a pack; numbers that follow each other with the same label are one.
  static func forEach(of reader: PackReader, blocksOnly: Bool = false, _ body: (ListEntry) throws -> Void) throws {
    try reader.forEachRange { numbers, roles, label in
      guard roles.contains(.blocks) || !blocksOnly else { return }
      try body(
        ListEntry(
          number: numbers.lowerBound, last: numbers.upperBound,
          label: label.isEmpty ? nil : String(decoding: label, as: UTF8.self), blocks: roles.contains(.blocks)))
    }
  }
}

/// The entries of a pack that block.
private struct BlockingEntries {
  private let cursor: PackCursor

  init(_ cursor: PackCursor) {
    self.cursor = cursor
  }

  mutating func next() throws -> ListEntry? {
    while try cursor.next() {
      if cursor.roles.contains(.blocks) { return ListEntry(number: cursor.number, label: cursor.label, blocks: true) }
    }
    return nil
  }
}
