// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

/// Entries of a source before they are copied into the database. There are millions, so their texts are stored one
/// after the other as bytes.
public struct DirectoryRows: Sendable {
  private struct Row {
    var number: Int64
    var mentions: Int32
    var nameEnd: Int
    var end: Int
  }

  private var texts: [UInt8] = []
  private var rows: [Row] = []

  /// No rows.
  public init() {}

  /// Number of rows.
  public var count: Int { rows.count }
  /// Whether there are none.
  public var isEmpty: Bool { rows.isEmpty }

  /// Reserves memory for a number of rows.
  public mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    texts.reserveCapacity(count * 32)
  }

  /// Appends an entry; ``StoredDirectoryEntry`` describes its parts.
  /// - Parameters:
  ///   - name: UTF-8.
  ///   - category: UTF-8; empty where the source has none.
  public mutating func append(
    _ number: Int64, mentions: Int32, name: UnsafeRawBufferPointer, category: UnsafeRawBufferPointer
  ) {
    texts.append(contentsOf: name)
    let nameEnd = texts.count
    texts.append(contentsOf: category)
    rows.append(Row(number: number, mentions: mentions, nameEnd: nameEnd, end: texts.count))
  }

  /// Calls `body` with each entry, in order.
  private func forEach(
    _ body: (_ row: Row, _ name: UnsafeRawBufferPointer, _ category: UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    try texts.withUnsafeBytes { bytes in
      var start = 0
      for row in rows {
        try body(
          row, UnsafeRawBufferPointer(rebasing: bytes[start..<row.nameEnd]),
          UnsafeRawBufferPointer(rebasing: bytes[row.nameEnd..<row.end]))
        start = row.end
      }
    }
  }

  /// The rows in the COPY format of a generation's table.
  func encoded() throws -> PostgresCopyRows {
    var encoded = PostgresCopyRows(capacity: texts.count + rows.count * 34)
    try forEach { row, name, category in
      try encoded.append { tuple in
        tuple.append(row.number)
        tuple.append(row.mentions)
        tuple.append(text: name)
        if category.isEmpty { tuple.append(String?.none) } else { tuple.append(text: category) }
      }
    }
    return encoded
  }
}

extension DirectoryRows {
  /// Rows of a few entries.
  public init(_ entries: [StoredDirectoryEntry]) {
    for entry in entries {
      Array(entry.name.utf8).withUnsafeBytes { name in
        Array((entry.category ?? "").utf8).withUnsafeBytes { category in
          append(entry.number, mentions: entry.mentions, name: name, category: category)
        }
      }
    }
  }

  /// The rows as single entries.
  public var entries: [StoredDirectoryEntry] {
    var entries: [StoredDirectoryEntry] = []
    forEach { row, name, category in
      entries.append(
        StoredDirectoryEntry(
          number: row.number, mentions: row.mentions, name: String(decoding: name, as: UTF8.self),
          category: category.isEmpty ? nil : String(decoding: category, as: UTF8.self)))
    }
    return entries
  }
}
