// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PackFormats

/// Writes the numbers of a pack that are to be blocked in another format.
struct ListBuild: Sendable {
  let folder: PublicationFolder
  let pack: ManifestPack
  let format: ListFormat
  /// The earlier pack from which on the changes are written; nil for the complete list.
  let base: String?

  func write(_ path: String) throws {
    let reader = try PackReader.open(path: folder.filePath(pack.path))
    var options = ExportOptions(for: pack, reader.header)
    options.phonebookLimit = ListFormat.fritzbox.maximumEntries ?? options.phonebookLimit
    let writer = try format.writer(to: .file(URL(filePath: path)), options: options)
    var list = BlockingEntries(try reader.makeCursor())
    if let base {
      try writeChanges(from: BlockingEntries(try PackReader.open(path: base).makeCursor()), to: list, into: writer)
    } else {
      while let entry = try list.next() { try writer.append(entry) }
    }
    _ = try writer.finish()
    try setTime(path)
  }

  func compress(_ path: String, to target: String) throws {
    try GzipFile.compress(URL(filePath: path), to: URL(filePath: target))
    try setTime(target)
  }

  /// Writes the numbers that are new or have another label, and those that have left the list.
  private func writeChanges(
    from base: consuming BlockingEntries, to list: consuming BlockingEntries, into writer: any EntryWriter
  ) throws {
    var (old, new) = (try base.next(), try list.next())
    while old != nil || new != nil {
      if let removed = old, removed.number < new?.number ?? .max {
        var entry = removed
        (entry.label, entry.blocks, entry.isRemoved) = (nil, false, true)
        try writer.append(entry)
        old = try base.next()
      } else if let entry = new {
        if entry != old { try writer.append(entry) }
        if old?.number == entry.number { old = try base.next() }
        new = try list.next()
      }
    }
  }

  /// Sets the time of the pack, so that every server has the same `Last-Modified`.
  private func setTime(_ path: String) throws {
    let time = try PackReader.open(path: folder.filePath(pack.path)).header.createdAt
    guard time > 0 else { return }
    let date = Date(timeIntervalSince1970: TimeInterval(time))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
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
