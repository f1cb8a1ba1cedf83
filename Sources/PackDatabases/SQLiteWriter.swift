// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
public import PackFormats
import Support

extension ListFormat {
  /// - Throws: as ``recordWriter(to:options:)``; ``PackFormatError/option(_:)`` for SQLite on standard output.
  public func writer(to output: ExportOutput, options: ExportOptions = ExportOptions()) throws -> any EntryWriter {
    isRecords ? try recordWriter(to: output, options: options) : try SQLiteWriter(to: output)
  }
}

/// A SQLite 3 database, with one row for each number, readable by all versions since 3.0.
///
/// ```sql
/// CREATE TABLE numbers(
///   number INTEGER PRIMARY KEY,  -- E.164 digits without the plus
///   label TEXT,                  -- NULL if the list only blocks
///   block INTEGER NOT NULL);     -- 1: refuse the call, 0: only identify it
/// ```
/// `user_version` is 1. The number is the row id, so a lookup is one descent of one tree.
final class SQLiteWriter: EntryWriter {
  private var rules = EntryRules()
  private var summary = ExportSummary()
  private let path: String
  private let temporary: String
  private var database: OpaquePointer?
  private var insert: OpaquePointer?

  init(to output: ExportOutput) throws {
    guard case .file(let named) = output else {
      throw PackFormatError.option("a SQLite database needs a file to be written to")
    }
    let url = try OutputFile.target(of: named)
    path = url.path
    temporary = OutputFile.temporaryName(beside: url)
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    try check(sqlite3_open_v2(temporary, &database, flags, nil), "create")
    // The file is temporary, so it needs no journal, and `finish` flushes it once. A cache of 2,000 KB bounds memory;
    // rows are inserted in the tree's order.
    for statement in [
      "PRAGMA page_size = 4096", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -2000",
      "PRAGMA user_version = 1",
      "CREATE TABLE numbers(number INTEGER PRIMARY KEY, label TEXT, block INTEGER NOT NULL)", "BEGIN",
    ] {
      try check(sqlite3_exec(database, statement, nil, nil, nil), "prepare")
    }
    let text = "INSERT INTO numbers(number, label, block) VALUES (?1, ?2, ?3)"
    try check(sqlite3_prepare_v2(database, text, -1, &insert, nil), "prepare")
  }

  func append(_ entry: ListEntry) throws {
    try rules.admit(entry)
    for number in entry.number...entry.last { try add(number, entry) }
  }

  private func add(_ number: Int64, _ entry: ListEntry) throws {
    sqlite3_bind_int64(insert, 1, number)
    sqlite3_bind_int(insert, 3, entry.blocks ? 1 : 0)
    if var label = entry.label {
      // The bytes stay valid until the step below, so SQLite needs no copy (a nil destructor).
      try label.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_bind_text(insert, 2, $0.baseAddress, Int32($0.count), nil)
        }
        try step()
      }
    } else {
      sqlite3_bind_null(insert, 2)
      try step()
    }
    summary.count(.written)
  }

  func finish() throws -> ExportSummary {
    sqlite3_finalize(insert)
    insert = nil
    try check(sqlite3_exec(database, "COMMIT", nil, nil, nil), "write")
    sqlite3_close(database)
    database = nil
    try OutputFile.failing {
      try flushToDisk(temporary)
      try CompleteFile.move(temporary, to: path, flushing: .file)
    }
    return summary
  }

  private func step() throws {
    let code = sqlite3_step(insert)
    guard code == SQLITE_DONE else { throw PackFormatError.file(path: path, operation: "write", code: code) }
    sqlite3_reset(insert)
  }

  private func check(_ code: Int32, _ operation: String) throws {
    guard code == SQLITE_OK else { throw PackFormatError.file(path: path, operation: operation, code: code) }
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_close(database)
    // After `finish` the temporary name no longer exists.
    unlink(temporary)
  }
}
