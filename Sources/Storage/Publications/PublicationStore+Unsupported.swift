// SPDX-License-Identifier: Apache-2.0

import Curation
public import Foundation
import PhoneNumbers
import PostgreSQL

extension PublicationStore {
  /// The most numbers that a refresh of a source revokes. Where it is about more, all wait for the next publication, whose
  /// gates check them.
  public static let mostUnsupported = 500

  /// Revokes numbers that a source no longer contains where the last publication lists them because of reports, and their
  /// other support is not sufficient to block. A decision in force and an approved range keep a number.
  ///
  /// A publication in progress may list numbers that the last one does not. So while there is one, all numbers without
  /// sufficient support are revoked, where they are not too many.
  /// - Parameters:
  ///   - numbers: any count; the reports of the source are withdrawn.
  ///   - source: the source's name, for the reason.
  /// - Returns: the number of revocations; nil where there would be more than ``mostUnsupported``, and none was requested.
  public func revokeUnsupported(
    _ numbers: [Int64], because source: String, at time: Date
  ) async throws -> Int? {
    // First: a publication that ends after this has its numbers in the listings.
    let isPublishing = try await !pool.run(SQL.readRunning()).isEmpty
    var (unsupported, further): ([Int64], [Int64]) = ([], [])
    for start in stride(from: 0, to: numbers.count, by: Self.judged) {
      let found = try await self.unsupported(
        Array(Set(numbers[start..<min(start + Self.judged, numbers.count)])), isPublishing: isPublishing, at: time)
      unsupported += found.listed
      if further.count <= Self.mostUnsupported { further += found.further }
      guard unsupported.count <= Self.mostUnsupported else { return nil }
    }
    if unsupported.count + further.count <= Self.mostUnsupported { unsupported = (unsupported + further).sorted() }
    let revocations = unsupported.map { number in
      Revocation(
        number: number, action: .unlist, reason: "The source \(source) no longer contains the number.",
        requestedBy: "ringfence", requestedAt: time)
    }
    if !revocations.isEmpty { try await request(revocations, role: "system") }
    return revocations.count
  }

  private static let judged = 1_000

  /// - Parameter isPublishing: whether numbers that are not listed are judged too.
  private func unsupported(
    _ numbers: [Int64], isPublishing: Bool, at time: Date
  ) async throws -> (listed: [Int64], further: [Int64]) {
    try await pool.withConnection { connection in
      let present = Set(try await connection.run(SQL.readListedByReports(numbers: numbers)))
      let listed = (isPublishing ? numbers : Array(present)).sorted()
      guard !listed.isEmpty else { return ([], []) }
      let thresholds = try await ThresholdStore.current(on: connection).set
      let decided = Set(try await connection.run(SQL.readStandingDecisionsOf(numbers: listed)).map(\.number))
      let ranges = try await connection.run(SQL.readRanges(state: .approved)).map(\.range)
      let records = try await NumberRecordStore.records(of: listed, on: connection)
      let supported = Set(
        records.filter { record in
          let country = RegionMap.countries.region(of: record.number)
          let evaluation = Score(record, at: time).evaluate(by: thresholds, in: OverrideState(country: country))
          // A revocation cannot leave a number in the packs that identify it, and remove it from the others.
          return evaluation.meetsThreshold && evaluation.ceiling >= .block
        }.map(\.number))
      let unsupported = listed.filter { number in
        !supported.contains(number) && !decided.contains(number)
          && !ranges.contains { $0.numbers.contains(number) }
      }
      return (unsupported.filter(present.contains), unsupported.filter { !present.contains($0) })
    }
  }
}
