// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Records of one number, of several, and of all with enough heat to be evaluated.
public enum NumberRecordStore {
  /// Keeps a number exactly on a threshold: stored and decayed heat round differently.
  private static let leeway = 1 - 1e-9

  /// A number's record as of a connection's snapshot; nil when it was never reported.
  public static func record(of number: Int64, on connection: PostgresConnection) async throws -> NumberRecord? {
    RecordAssembler.record(of: try await connection.run(SQL.readRecord(number: number)))
  }

  /// The records of numbers in ascending order, as of a connection's snapshot; numbers that were never reported are
  /// left out.
  public static func records(of numbers: [Int64], on connection: PostgresConnection) async throws -> [NumberRecord] {
    var assembler = RecordAssembler()
    let rows = try await connection.run(SQL.readRecordsOf(numbers: numbers, heat: 0))
    var records = rows.compactMap { assembler.take($0) }
    if let last = assembler.finish() { records.append(last) }
    return records
  }

  /// Passes to `body` the records of all numbers whose decayed heat is not below a floor at `time`, in ascending order
  /// and without the time of their first report.
  ///
  /// Memory use is limited to one batch.
  /// - Parameters:
  ///   - cut: leaves out numbers below both of its limits, decayed.
  ///   - connection: reads one snapshot, and runs nothing else until this returns.
  public static func forEachRecord(
    above floor: HeatFloor, cut: SelectionCut? = nil, at time: Date, on connection: PostgresConnection,
    _ body: ([NumberRecord]) async throws -> Void
  ) async throws {
    let scale = leeway * Decay.heat.scale(at: time)
    let copy = CopyRecords(
      floor: stored(floor, at: time), cut: cut.map { ($0.heat * scale, $0.identifications * scale) })
    var assembler = RecordAssembler()
    for try await rows in connection.copyOut(copy.sql, read: CopyRecords.read).batches {
      var records: [NumberRecord] = []
      records.reserveCapacity(rows.count)
      for row in rows {
        if let record = assembler.take(row) { records.append(record) }
      }
      if !records.isEmpty { try await body(records) }
    }
    if let last = assembler.finish() { try await body([last]) }
  }

  /// A cut that about so many numbers exceed; nil where there are not several times as many, because it would save
  /// little.
  ///
  /// An estimate from one block of the table in a hundred: the caller must check the result.
  /// - Parameters:
  ///   - hot: desired count of numbers above its heat.
  ///   - identified: desired count of numbers above its identifications; 0 for none.
  ///   - floor: the least decayed heat.
  public static func cut(
    hot: Int, identified: Int, above floor: HeatFloor, at time: Date, on connection: PostgresConnection
  ) async throws -> SelectionCut? {
    guard hot >= minCut else { return nil }
    let scale = Decay.heat.scale(at: time)
    let sample = SQL.sampleHeats(above: stored(floor, at: time), rank: hot / 100)
    guard let found = try await connection.run(sample).first, let warm = found.heat, found.count * 100 > 2 * hot
    else { return nil }
    guard identified > 0 else { return SelectionCut(heat: warm / scale, identifications: .infinity) }
    let calls = try await connection.run(SQL.sampleIdentifications(rank: identified / 100)).first ?? 0
    return SelectionCut(heat: warm / scale, identifications: calls / scale)
  }

  private static func stored(_ floor: HeatFloor, at time: Date) -> HeatFloor {
    let scale = leeway * Decay.heat.scale(at: time)
    return HeatFloor(heat: floor.heat * scale, reported: floor.reported * scale, reporters: floor.reporters)
  }

  /// With fewer numbers a sample is too inaccurate and saves little.
  private static let minCut = 200_000
}
