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
private let fresh = """
  DROP TABLE IF EXISTS entries; CREATE TABLE entries (number bigint PRIMARY KEY, name text, weight double precision)
  """

@Suite struct CopyTests {
  @Test func `a hundred thousand rows survive a copy in and out`() async throws {
    try await withDatabase("copy_rows") { connection in
      try await connection.execute(script: fresh)
      #expect(try await connection.copyIn(copyBinary, rows: (1...100_000).lazy.map { Entry.of($0) }) == 100_000)
      var next: Int64 = 0
      let rows = connection.copyOut(
        "COPY (SELECT * FROM entries ORDER BY number) TO STDOUT (FORMAT binary)", decode: Entry.decode)
      for try await entry in rows {
        next += 1
        #expect(entry == Entry.of(next))
      }
      #expect(next == 100_000)
      #expect(try await connection.query("SELECT 1").count == 1)
    }
  }

  @Test func `an empty copy works in both directions`() async throws {
    try await withDatabase("copy_nothing") { connection in
      try await connection.execute(script: fresh)
      #expect(try await connection.copyIn(copyBinary, rows: [Entry]()) == 0)
      let rows = connection.copyOut("COPY entries TO STDOUT (FORMAT binary)", decode: Entry.decode)
      for try await _ in rows { Issue.record("a row out of nothing") }
      for try await _ in connection.copyOut("COPY entries TO STDOUT") { Issue.record("bytes out of nothing") }
    }
  }

  @Test func `chunks of text survive a copy in and out`() async throws {
    try await withDatabase("copy_text") { connection in
      try await connection.execute(script: fresh)
      let (chunks, feed) = AsyncStream<[UInt8]>.makeStream()
      let text = (1...1_000).map { "\($0)\tname\t0.5\n" }.joined()
      for start in stride(from: 0, to: text.utf8.count, by: 97) {
        feed.yield(Array(text.utf8.dropFirst(start).prefix(97)))
      }
      feed.finish()
      #expect(try await connection.copyIn("COPY entries FROM STDIN", from: chunks) == 1_000)
      var bytes: [UInt8] = []
      for try await chunk in connection.copyOut("COPY entries TO STDOUT") { bytes += chunk }
      #expect(String(decoding: bytes, as: UTF8.self) == text)
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
      let (chunks, feed) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
      feed.yield(Array("1\tname\t0.5\n".utf8))
      feed.finish(throwing: Stop())
      await #expect(throws: Stop.self) { try await connection.copyIn("COPY entries FROM STDIN", from: chunks) }
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
        for try await _ in connection.copyOut("COPY entries FROM STDIN") {}
      }
      #expect(wrongWayOut?.kind == .misuse("the statement is no COPY TO STDOUT"))
      // The server fails during a COPY TO.
      await #expect(throws: PostgresError.self) {
        for try await _ in connection.copyOut(
          "COPY (SELECT 1 / (50000 - n) FROM generate_series(1, 60000) n) TO STDOUT")
        {}
      }
      #expect(try await connection.query("SELECT * FROM entries").isEmpty)
    }
  }

  @Test func `a copy can be cancelled`() async throws {
    try await withDatabase("copy_cancel") { connection in
      try await connection.execute(script: fresh)
      let (chunks, feed) = AsyncStream<[UInt8]>.makeStream()
      feed.yield(Array("1\tname\t0.5\n".utf8))
      let load = Task { try await connection.copyIn("COPY entries FROM STDIN", from: chunks) }
      let pid: Int32 = try #require(try await connection.query("SELECT pg_backend_pid()").first).decode(0)
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
