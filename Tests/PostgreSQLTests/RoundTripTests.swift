// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgreSQL
import Testing

@Suite struct RoundTripTests {
  private func roundTrip<T: PostgresEncodable & PostgresDecodable & Equatable>(_ values: [T]) async throws {
    try await withDatabase("round_trip") { connection in
      for value in values {
        let row = try #require(try await connection.query("SELECT \(value)").first)
        #expect(try row.decode(0, as: T.self) == value)
        let optional: T? = value
        let none: T? = nil
        let pair = try #require(try await connection.query("SELECT \(optional), \(none)").first)
        #expect(try pair.decode(0, as: T?.self) == value)
        #expect(try pair.decode(1, as: T?.self) == nil)
        #expect(pair.isNull(1))
      }
    }
  }

  @Test func `scalar values survive a round trip`() async throws {
    try await roundTrip([true, false])
    try await roundTrip([Int16.min, -1, 0, Int16.max])
    try await roundTrip([Int32.min, -1, 0, Int32.max])
    try await roundTrip([Int64.min, -1, 0, Int64.max])
    try await roundTrip([Int.min, 0, Int.max])
    try await roundTrip([Float(0), -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.5])
    try await roundTrip([0.0, .infinity, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, 0.1])
    try await roundTrip(["", "a", "naïve 🦊 \u{10FFFF} \n\\'\"$1", String(repeating: "ü", count: 100_000)])
    try await roundTrip([[UInt8](), [0], Array(0...255)])
    try await roundTrip([UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))])
  }

  @Test func `a value that is not a number survives a round trip`() async throws {
    try await withDatabase("round_trip_nan") { connection in
      let row = try #require(try await connection.query("SELECT \(Double.nan), \(Float.nan)").first)
      #expect(try row.decode(0, as: Double.self).isNaN)
      #expect(try row.decode(1, as: Float.self).isNaN)
    }
  }

  @Test func `dates survive a round trip to the microsecond`() async throws {
    try await withDatabase("round_trip_dates") { connection in
      let microseconds: [Int64] = [
        -62_135_596_800_000_000, -1, 0, 1, 946_684_799_999_999, 946_684_800_000_000, 1_795_228_840_123_457,
        4_102_444_799_999_999,
      ]
      for count in microseconds {
        let rows = try await connection.query(
          "SELECT to_timestamp(0) + \(count) * interval '1 microsecond'")
        let date = try #require(rows.first).decode(0, as: Date.self)
        let text = try await connection.query("SELECT (extract(epoch FROM \(date)) * 1000000)::bigint")
        #expect(try #require(text.first).decode(0, as: Int64.self) == count)
      }
      let ends = try await connection.query("SELECT 'infinity'::timestamptz, \(Date.distantPast) > '-infinity'")
      let infinite = try #require(ends.first).decode(0, as: Date.self)
      #expect(infinite.timeIntervalSinceReferenceDate == .infinity)
      let same = try await connection.query("SELECT \(infinite) = 'infinity'")
      #expect(try #require(same.first).decode(0, as: Bool.self))
      await #expect(throws: PostgresError.self) {
        _ = try await connection.query("SELECT \(Date(timeIntervalSinceReferenceDate: 1e300))")
      }
    }
  }

  @Test func `arrays survive a round trip`() async throws {
    try await roundTrip([[Int64](), [1], [.min, .max, 0]])
    try await roundTrip([[Int64?](), [nil], [1, nil, .max]])
    try await roundTrip([[Int16?]([1, nil])])
    try await roundTrip([[Int32](), [7]])
    try await roundTrip([["", "a,b", "{}", "NULL"], []])
    try await roundTrip([["x", nil] as [String?]])
    try await roundTrip([[true, nil, false] as [Bool?]])
    try await roundTrip([[[1, 2], []] as [[UInt8]]])
    try await roundTrip([[[0], nil] as [[UInt8]?]])
    try await roundTrip([[UUID(), nil] as [UUID?]])
    try await roundTrip([[1.5, nil] as [Double?], []])
    try await roundTrip([[Float(1.5)]])
    try await roundTrip([[Date(timeIntervalSinceReferenceDate: 0), nil] as [Date?]])
  }

  @Test func `integers decode to wider types and to narrower ones that fit`() async throws {
    try await withDatabase("round_trip_widening") { connection in
      let row = try #require(
        try await connection.query("SELECT 1::smallint, 2::integer, 3::bigint, 70000, 1.5::real, '{\"a\":1}'::jsonb")
          .first)
      #expect(try row.decode(0, as: Int64.self) == 1)
      #expect(try row.decode(1, as: Int.self) == 2)
      #expect(try row.decode(2, as: Int16.self) == 3)
      #expect(try row.decode(4, as: Double.self) == 1.5)
      #expect(try row.decode(5, as: String.self) == "{\"a\": 1}")
      #expect(throws: PostgresError.self) { try row.decode(3, as: Int16.self) }
    }
  }

  enum Verdict: String, PostgresScalar { case block, allow }

  @Test func `enumerations survive a round trip`() async throws {
    try await roundTrip([Verdict.block])
    try await roundTrip([[Verdict.block, .allow], []])
    try await withDatabase("round_trip_enum") { connection in
      try await connection.execute(
        script: "DROP TYPE IF EXISTS verdict; CREATE TYPE verdict AS ENUM ('block', 'other')")
      let row = try #require(try await connection.query("SELECT 'block'::verdict, 'other'::verdict").first)
      #expect(try row.decode(0, as: Verdict.self) == .block)
      #expect(throws: PostgresError.self) { try row.decode(1, as: Verdict.self) }
    }
  }

  @Test func `encoding and decoding errors name the column or parameter`() async throws {
    try await withDatabase("round_trip_mismatch") { connection in
      let row = try #require(try await connection.query("SELECT 'x' AS label, NULL::bigint AS total").first)
      let wrong = #expect(throws: PostgresError.self) { try row.decode(0, as: Int64.self) }
      #expect(wrong?.kind == .decoding(column: "label", expected: "bigint", got: "text"))
      let null = #expect(throws: PostgresError.self) { try row.decode(1, as: Int64.self) }
      #expect(null?.kind == .decoding(column: "total", expected: "bigint", got: "NULL"))
      #expect(throws: PostgresError.self) { try row.decode(2, as: Int64.self) }
      let nul = await #expect(throws: PostgresError.self) {
        _ = try await connection.query("SELECT \(1), \("a\0b")")
      }
      #expect(nul?.kind == .encoding(parameter: 2, reason: "text must not hold a NUL character"))
    }
  }

  @Test func `columns are read by the types of the row`() async throws {
    try await withDatabase("round_trip_columns") { connection in
      let sql = "SELECT $1::bigint, nullif($2, 'none'), ARRAY[1, 2]"
      let one = Statement<(Int64, String?, [Int32])>(sql, Int64(7), "none")
      let row = try #require(try await connection.run(one).first)
      #expect(row == (7, nil, [1, 2]))
      let other = try await connection.run(Statement<(Int64, String?, [Int32])>(sql, Int64(8), "name")).first
      #expect(other?.1 == "name")
      #expect(try await connection.run(Statement<Int64>(sql, Int64(9), "name")) == [9])
      // The second column is NULL, and is read as a value.
      let null = await #expect(throws: PostgresError.self) {
        _ = try await connection.run(Statement<(Int64, String)>(sql, Int64(7), "none"))
      }
      #expect(null?.kind == .decoding(column: "nullif", expected: "text", got: "NULL"))
      let missing = await #expect(throws: PostgresError.self) {
        _ = try await connection.run(Statement<(Int64, Int64)>("SELECT 1::bigint"))
      }
      #expect(missing?.kind == .decoding(column: "1", expected: "bigint", got: "a row of 1 columns"))
    }
  }
}
