// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import Synchronization
import Testing

private struct Entry: PostgresCopyRow, Equatable {
  var number: Int64
  var name: String?
  var weight: Double
  func encode(into tuple: inout PostgresCopyTuple) {
    tuple.append(number)
    tuple.append(name)
    tuple.append(weight)
  }
  static func decode(_ row: PostgresRow) throws -> Entry {
    Entry(number: try row.decode(0), name: try row.decode(1), weight: try row.decode(2))
  }
  static func of(_ number: Int64) -> Entry {
    Entry(number: number, name: number % 7 == 0 ? nil : "name \(number)", weight: Double(number) / 3)
  }
}

private struct Stop: Error {}

private let copyBinary = "COPY entries FROM STDIN (FORMAT binary)"
private let copyOut = "COPY (SELECT number, weight FROM entries ORDER BY number) TO STDOUT (FORMAT binary)"

@Sendable private func figures(_ tuple: inout PostgresTuple) -> (number: Int64?, weight: Double?) {
  (tuple.int64(), tuple.double())
}

private let fresh = """
  DROP TABLE IF EXISTS entries; CREATE TABLE entries (number bigint PRIMARY KEY, name text, weight double precision)
  """

@Suite struct CopyTests {
  @Test func `a hundred thousand rows survive a copy in and out`() async throws {
    try await withDatabase("copy_rows") { connection in
      try await connection.execute(script: fresh)
      #expect(try await connection.copyIn(copyBinary, rows: (1...100_000).lazy.map { Entry.of($0) }) == 100_000)
      var next: Int64 = 0
      for try await (number, weight) in connection.copyOut(copyOut, read: figures) {
        next += 1
        #expect(number == next && weight == Entry.of(next).weight)
      }
      #expect(next == 100_000)
      let entries = try await connection.query("SELECT * FROM entries ORDER BY number").map(Entry.decode)
      #expect(entries == (1...100_000).map(Entry.of))
    }
  }

  @Test func `an empty copy works in both directions`() async throws {
    try await withDatabase("copy_nothing") { connection in
      try await connection.execute(script: fresh)
      #expect(try await connection.copyIn(copyBinary, rows: [Entry]()) == 0)
      for try await _ in connection.copyOut(copyOut, read: figures) { Issue.record("a row out of nothing") }
    }
  }

  @Test func `batches of encoded rows are copied and a failing source keeps nothing`() async throws {
    try await withDatabase("copy_batches") { connection in
      try await connection.execute(script: fresh)
      let start = Mutex<Int64>(0)
      let next: @Sendable () async throws -> PostgresCopyRows? = {
        let first = start.withLock { start in
          defer { start += 100 }
          return start
        }
        guard first < 1_000 else { return nil }
        var rows = PostgresCopyRows()
        for number in first..<first + 100 {
          let entry = Entry.of(number)
          try Array((entry.name ?? "").utf8).withUnsafeBytes { name in
            try rows.append { tuple in
              tuple.append(number)
              tuple.append(text: name)
              tuple.append(entry.weight)
            }
          }
        }
        return rows
      }
      #expect(try await connection.copyIn(copyBinary, next: next) == 1_000)
      let seventh = try await connection.query("SELECT name, weight FROM entries WHERE number = 7")[0]
      #expect(try seventh.decode(0, as: String.self) == Entry.of(7).name ?? "")
      #expect(try seventh.decode(1, as: Double.self) == Entry.of(7).weight)
      // A source that fails during the transfer.
      try await connection.execute(script: fresh)
      start.withLock { $0 = 0 }
      await #expect(throws: Stop.self) {
        try await connection.copyIn(copyBinary) {
          guard start.withLock({ $0 }) < 500 else { throw Stop() }
          return try await next()
        }
      }
      #expect(try await connection.query("SELECT count(*) FROM entries")[0].decode(0, as: Int64.self) == 0)
    }
  }

  @Test func `a failed copy keeps nothing and leaves the connection usable`() async throws {
    try await withDatabase("copy_failure") { connection in
      try await connection.execute(script: fresh)
      // The source fails.
      await #expect(throws: Stop.self) { try await connection.copyIn(copyBinary) { throw Stop() } }
      // The server refuses, early and after many chunks.
      let duplicate = await #expect(throws: PostgresError.self) {
        try await connection.copyIn(copyBinary, rows: [Entry.of(1), Entry.of(1)])
      }
      #expect(duplicate?.sqlState == "23505")
      #expect(duplicate?.constraint == "entries_pkey")
      let late = await #expect(throws: PostgresError.self) {
        try await connection.copyIn(copyBinary, rows: (0..<200_000).lazy.map { Entry.of($0 % 1_000) })
      }
      #expect(late?.sqlState == "23505")
      // A value cannot be sent.
      let nul = await #expect(throws: PostgresError.self) {
        try await connection.copyIn(copyBinary, rows: [Entry(number: 1, name: "a\0b", weight: 0)])
      }
      #expect(nul?.kind == .encoding(parameter: 2, reason: "in row 1, text must not hold a NUL character"))
      // Not a COPY.
      await #expect(throws: PostgresError.self) { try await connection.copyIn("SELECT 1", rows: [Entry.of(1)]) }
      let wrongWay = await #expect(throws: PostgresError.self) {
        try await connection.copyIn("COPY entries TO STDOUT", rows: [Entry.of(1)])
      }
      #expect(wrongWay?.kind == .misuse("the statement is no COPY FROM STDIN"))
      let wrongWayOut = await #expect(throws: PostgresError.self) {
        for try await _ in connection.copyOut(copyBinary, read: figures) {}
      }
      #expect(wrongWayOut?.kind == .misuse("the statement is no COPY TO STDOUT"))
      // The server fails during a COPY TO.
      await #expect(throws: PostgresError.self) {
        let sql = "COPY (SELECT 1 / (50000 - n) FROM generate_series(1, 60000) n) TO STDOUT (FORMAT binary)"
        for try await _ in connection.copyOut(sql, read: { $0.int32() }) {}
      }
      #expect(try await connection.query("SELECT * FROM entries").isEmpty)
    }
  }

  @Test func `a copy can be cancelled`() async throws {
    try await withDatabase("copy_cancel") { connection in
      try await connection.execute(script: fresh)
      let pid = await connection.processID
      let (batches, feed) = AsyncStream<PostgresCopyRows>.makeStream()
      var rows = PostgresCopyRows()
      try rows.append { Entry.of(1).encode(into: &$0) }
      feed.yield(rows)
      let load = Task {
        try await connection.copyIn(copyBinary) {
          for await rows in batches { return rows }
          return nil
        }
      }
      try await withDatabase("copy_cancel") { other in
        try await wait {
          try await other.query(
            "SELECT 1 FROM pg_stat_activity WHERE pid = \(pid) AND query LIKE 'COPY%' AND state = 'active'"
          ).count == 1
        }
      }
      load.cancel()
      await #expect(throws: (any Error).self) { try await load.value }
      #expect(try await connection.query("SELECT * FROM entries").isEmpty)
    }
  }
}
