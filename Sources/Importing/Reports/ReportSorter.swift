// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
public import Storage
import Support
import Synchronization

/// Reports of a list, which are sorted by number and category in runs of a temporary file.
///
/// Memory: a run of 8 MB, and 64 KB for each run while they are merged.
public final class ReportSorter: Sendable {
  /// As in memory, because only this process reads the file.
  fileprivate struct Row {
    var number: Int64
    var reportID: UUID
    var reportedAt: Date
    var weight: Float
    var category: ReportCategory

    var order: RowOrder { RowOrder(number: number, other: Int(category.rawValue)) }
  }

  private struct State {
    var rows: [Row] = []
    var runs: [Range<Int>] = []
    var count = 0
    var appID: Int32 = 0
    /// A report of each month.
    var months: [Int: Date] = [:]
    var unassigned = Set<Int64>()
  }

  private let rowsOfRun: Int
  private let file: TemporaryFile
  private let state = Mutex(State())

  /// - Parameter folder: a folder for 40 bytes for each report.
  /// - Throws: ``ImportFileError``.
  public init(folder: String, rowsOfRun: Int = 200_000) throws {
    (file, self.rowsOfRun) = (try TemporaryFile(folder: folder), rowsOfRun)
  }

  /// Adds reports of one list, without reporter, network and comment.
  /// - Throws: ``ImportFileError``.
  func add(_ reports: [Report]) throws {
    try state.withLock { state in
      for report in reports {
        let (year, month) = Timestamp.month(of: report.reportedAt)
        state.months[year * 12 + month] = report.reportedAt
        if report.isUnassigned { state.unassigned.insert(report.number) }
        state.appID = report.appID
        state.rows.append(
          Row(
            number: report.number, reportID: report.reportID, reportedAt: report.reportedAt, weight: report.weight,
            category: report.category))
      }
      state.count += reports.count
      if state.rows.count >= rowsOfRun { try write(&state) }
    }
  }

  private func write(_ state: inout State) throws {
    state.rows.sort { $0.order < $1.order }
    let bytes = state.rows.withUnsafeBytes { Array($0) }
    let region = file.reserve(bytes.count)
    try file.write(bytes, at: region.lowerBound)
    state.runs.append(region)
    state.rows.removeAll(keepingCapacity: true)
  }

  /// The reports in order, when all are added.
  public func finish() throws -> SortedReports {
    try state.withLock { state in
      try write(&state)
      state.rows = []
      return SortedReports(count: state.count, times: Array(state.months.values), unassigned: state.unassigned) {
        [file, runs = state.runs, appID = state.appID, unassigned = state.unassigned] in
        let heap = Mutex(RunHeap(try runs.compactMap { try ReportRun(file: file, run: $0) }))
        return { limit in
          try heap.withLock { heap in
            var reports: [Report] = []
            reports.reserveCapacity(limit)
            while reports.count < limit, let row = heap.first?.row {
              var report = Report(
                number: row.number, appID: appID, reportID: row.reportID, reportedAt: row.reportedAt,
                category: row.category, reporter: nil, weight: row.weight)
              report.isUnassigned = unassigned.contains(row.number)
              reports.append(report)
              try heap.advance()
            }
            return reports
          }
        }
      }
    }
  }
}

/// A run that is read in pieces.
private struct ReportRun: SortedRun {
  private static let bytesOfPiece = 64 << 10

  let file: TemporaryFile
  var rest: Range<Int>
  private var rows: [ReportSorter.Row] = []
  private var place = 0

  /// Nil for a run without rows.
  init?(file: TemporaryFile, run: Range<Int>) throws {
    (self.file, rest) = (file, run)
    guard try fill() else { return nil }
  }

  var row: ReportSorter.Row { rows[place] }

  var order: RowOrder { row.order }

  mutating func advance() throws -> Bool {
    place += 1
    return try place < rows.count || fill()
  }

  private mutating func fill() throws -> Bool {
    let size = MemoryLayout<ReportSorter.Row>.stride
    let count = min(Self.bytesOfPiece, rest.count) / size
    place = 0
    rows = try Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      let bytes = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count * size)
      if count > 0 { try file.read(into: bytes, at: rest.lowerBound) }
      initialized = count
    }
    rest = rest.lowerBound + count * size..<rest.upperBound
    return count > 0
  }
}
