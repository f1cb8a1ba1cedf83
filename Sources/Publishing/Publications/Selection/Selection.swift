// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL
import Storage

/// Selects the numbers that a publication lists because of reports.
///
/// The database omits only numbers too cold for every threshold; ``Curation/Score`` evaluates the others.
public struct Selection: Sendable {
  let country: @Sendable (Int64) -> String?

  /// Uses the countries of the numbering plans at the time of each use.
  public init() {
    self.init { RegionMap.countries.region(of: $0) }
  }

  /// - Parameter country: the ISO 3166 alpha-2 code of a number's country; called only if a country has its own
  ///   threshold.
  public init(country: @escaping @Sendable (Int64) -> String?) {
    self.country = country
  }

  /// Passes on the numbers that are listed at `time`, ascending, in batches.
  ///
  /// A number in the last publication stays until it falls below the leaving threshold; others must reach the entering
  /// threshold. Memory is bounded by a batch.
  /// - Parameters:
  /// - cut: omits numbers below it unless a decision lists them.
  /// - state: decisions, holds, protection and rules of the same snapshot; nil reads them.
  /// - connection: within a transaction that reads one snapshot; it must not run other statements meanwhile.
  public func forEachListed(
    at time: Date, cut: SelectionCut? = nil, state: CurationState? = nil,
    on connection: PostgresConnection, _ body: ([ListedNumber]) async throws -> Void
  ) async throws {
    let dependence = SourceDependence(try await ThresholdStore.current(on: connection).set, PublicationSources())
    try await forEachListed(at: time, cut: cut, state: state, finding: dependence, on: connection, body)
  }

  /// The same, with the thresholds of `dependence`, which finds the numbers whose listing depends on sources.
  func forEachListed(
    at time: Date, cut: SelectionCut?, state: CurationState?, finding dependence: SourceDependence,
    on connection: PostgresConnection, _ body: ([ListedNumber]) async throws -> Void
  ) async throws {
    let state = if let state { state } else { try await CurationStateStore.load(at: time, on: connection) }
    var merge = CurationMerge(state)
    try await NumberRecordStore.forEachRecord(
      above: dependence.thresholds.floor, cut: cut, at: time, on: connection
    ) { records in
      let listed = merge.take(
        records.compactMap { record in
          dependence.evaluate(record) { self.listed(record, at: time, by: $0, in: state) }
        })
      if !listed.isEmpty { try await body(listed) }
    }
    let rest = merge.finish()
    for start in stride(from: 0, to: rest.count, by: Self.batchSize) {
      try await body(Array(rest[start..<min(start + Self.batchSize, rest.count)]))
    }
  }

  /// A cut for recipes whose packs overflow by far; nil if all numbers should be read.
  public func cut(
    for recipes: [Recipe], at time: Date, on connection: PostgresConnection,
    packs: (Recipe) -> Int
  ) async throws -> SelectionCut? {
    guard let wanted = SelectionCut.numbers(for: recipes, packs: packs) else { return nil }
    let thresholds = try await ThresholdStore.current(on: connection).set
    // The stored heat has the complaints of suspended sources.
    guard thresholds.suspended.isEmpty else { return nil }
    return try await NumberRecordStore.cut(
      hot: wanted.hot, identified: wanted.identified, above: thresholds.floor, at: time, on: connection)
  }

  /// Maximum batch of numbers without reports.
  private static let batchSize = 10_000

  /// Evaluates one record; nil if it is not listed. A decided number is returned with the evaluation of its reports,
  /// and `CurationMerge` applies the decision.
  /// - Parameter state: decisions, holds, protection and rules.
  public func listed(
    _ record: NumberRecord, at time: Date, by thresholds: ThresholdSet, in state: CurationState = CurationState()
  ) -> ListedNumber? {
    let score = Score(record, at: time)
    let evaluation = score.evaluate(by: thresholds, in: state.overrides(of: record)) { country(record.number) }
    guard [.listed, .candidate, .decided].contains(evaluation.verdict) else { return nil }
    guard let category = evaluation.category ?? (evaluation.verdict == .decided ? .other : nil) else { return nil }
    // A decision has its own treatment.
    let treatment = evaluation.ceiling == .identify ? .identify : state.treatment(of: record.number)
    let counted = score.without(below: treatment == .block ? .block : .identify, thresholds)
    var listed = ListedNumber(
      number: record.number, category: category, treatment: treatment, heat: counted.heat,
      evidence: counted.evidence, identifications: score.identifications)
    if treatment == .identify, evaluation.isIdentifiedByReports {
      listed.reporters = state.independentReporters[record.number] ?? score.reporters
    }
    return listed
  }
}

/// The listings of a publication in a file: the numbers that packs include for another reason than a directory,
/// ascending, 12 bytes each.
///
/// A number over its threshold that found no room in a pack is not listed, and must reach the entering threshold again.
///
/// The file survives the process, so that the next run can record a publication whose process died after making it
/// visible.
struct ListedSpool: Sequence, Sendable {
  let path: String

  init(folder: PublicationFolder, serial: Int64) {
    self.init(path: "\(folder.path)/.work/placed-\(serial)")
  }

  init(path: String) {
    self.path = path
  }

  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  private var rangePath: String { "\(path)-ranges" }

  func write(_ ranges: [ListedRange]) throws {
    try JSONEncoder().encode(ranges).write(to: URL(filePath: rangePath), options: .atomic)
  }

  func ranges() throws -> [ListedRange] {
    guard let data = FileManager.default.contents(atPath: rangePath) else { return [] }
    return try JSONDecoder().decode([ListedRange].self, from: data)
  }

  /// Removes both files.
  func remove() {
    unlink(path)
    unlink(rangePath)
  }

  /// Writes the file from batches in ascending order.
  final class Writer: Sendable {
    private let file: FileHandle

    init(_ spool: ListedSpool) throws {
      guard FileManager.default.createFile(atPath: spool.path, contents: nil),
        let file = FileHandle(forWritingAtPath: spool.path)
      else { throw PublishingError.cannotWrite(spool.path, errno: errno) }
      self.file = file
    }

    func append(_ numbers: [ListedNumber]) throws {
      var data = Data(capacity: numbers.count * ListedSpool.rowBytes)
      for listed in numbers {
        withUnsafeBytes(of: listed.number.littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: listed.category.rawValue.littleEndian) { data.append(contentsOf: $0) }
        data.append(listed.cause.rawValue)
        data.append(listed.treatment.rawValue)
      }
      try file.write(contentsOf: data)
    }

    func finish() throws {
      try file.synchronize()
      try file.close()
    }
  }

  static let rowBytes = 12

  func makeIterator() -> Iterator { Iterator(file: FileHandle(forReadingAtPath: path)) }

  /// Reads the rows in pieces; an incomplete last row is ignored.
  struct Iterator: IteratorProtocol {
    private let file: FileHandle?
    private var piece = Data()
    private var place = 0

    fileprivate init(file: FileHandle?) { self.file = file }

    mutating func next() -> Listing? {
      while place + ListedSpool.rowBytes <= piece.count || refill() {
        let row = piece.subdata(in: piece.startIndex + place..<piece.startIndex + place + ListedSpool.rowBytes)
        place += ListedSpool.rowBytes
        let number = row.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        let category = row.withUnsafeBytes { Int16(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int16.self)) }
        let cause = ListedNumber.Cause(rawValue: row[row.startIndex + 10])
        let treatment = ListedNumber.Treatment(rawValue: row[row.startIndex + 11])
        if let category = ReportCategory(rawValue: category), let cause, let treatment {
          return Listing(number: number, category: category, cause: cause, treatment: treatment)
        }
      }
      return nil
    }

    private mutating func refill() -> Bool {
      piece = (try? file?.read(upToCount: ListedSpool.rowBytes * 8_192)) ?? Data()
      place = 0
      return piece.count >= ListedSpool.rowBytes
    }
  }
}
