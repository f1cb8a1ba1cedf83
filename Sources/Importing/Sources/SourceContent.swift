// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PhoneNumbers
import Storage

/// The entries of a list, read completely and checked before anything is stored.
struct SourceContent: Sendable {
  struct Entry: Sendable, Equatable {
    var number: Int64
    var category: ReportCategory
    /// The rows about the number, at most ``SourceEntry/maxComplaints``, where the format has a row for each complaint.
    var complaints = 1
    /// The servers with evidence of their own; empty for lists of other formats.
    var origins: [String] = []
    /// How many servers have passed the evidence on.
    var hops = 0
  }

  /// In ascending order of numbers, each once.
  var entries: [Entry] = []
  /// Numbers that the source has removed, or gives a category that is left out, ascending; only where it sends changes.
  var removals: [Int64] = []
  /// The version of the list; nil where it has none.
  var version: Int64?
  /// Rows of the file, and those that cannot be read.
  var rejected = RejectedRows()
  /// Rules for ranges, each range once.
  var ranges: [RangeRule] = []

  /// The most changes that cannot be read where most cannot.
  private static let maxRejectedChanges = 100

  init() {}

  /// Reads a list.
  /// - Parameters:
  ///   - isComplete: whether the file is the complete list, which has at least one entry.
  ///   - most: the most entries. Reading ends after twice as many rows.
  ///   - isCancelled: whether to end with `CancellationError`; called after some rows, and after some bytes.
  /// - Throws: ``SourceFailure``, with which nothing of the file is used.
  init(
    path: String, format: SourceFormat, options: SourceOptions, isComplete: Bool, most: Int,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    do {
      var rows = try Self.rows(path: path, format: format, options: options, isCancelled: isCancelled)
      try read(
        &rows, format: format, options: options, isComplete: isComplete, most: most, isCancelled: isCancelled)
      version = rows.version
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
    // Some changes of a list that is read may all be of numbers that are not.
    if isComplete || rejected.count > Self.maxRejectedChanges { try rejected.check() }
    guard !isComplete || !entries.isEmpty || !ranges.isEmpty else { throw SourceFailure.noEntries }
    sort(countsRows: format.countsRows)
  }

  /// The same on a separate thread: reading a long file takes seconds.
  static func read(
    path: String, format: SourceFormat, options: SourceOptions, isComplete: Bool, limits: SourceReadLimits
  ) async throws -> SourceContent {
    try await readOnThread(within: limits.work) { isOver in
      try SourceContent(
        path: path, format: format, options: options, isComplete: isComplete, most: limits.entries, isCancelled: isOver)
    }
  }

  /// The content without the numbers that the plan does not have, as long as these are not stored; see
  /// ``HoldStore/takesUnassigned()``.
  func accepted(by holds: HoldStore) async throws -> SourceContent {
    guard rejected.unassigned > 0, try await !holds.takesUnassigned() else { return self }
    var content = self
    content.entries.removeAll { PhoneNumber(digits: $0.number)?.isValid != true }
    content.rejected.rejectUnassigned(reason: RejectReason.notValid.rawValue)
    return content
  }

  private static func rows(
    path: String, format: SourceFormat, options: SourceOptions, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> any SourceFileRows {
    let file = try FileBytes(path: path, isCancelled: isCancelled)
    return switch format {
    case .ftcRolling: try DelimitedRows(file, number: "pattern", category: nil)
    case .spamBlockerCSV:
      try DelimitedRows(file, number: "pattern", category: options.categoryColumn, readsPrefixes: true)
    case .spamBlockerXML:
      XMLRows(
        file, element: options.element ?? "n", attribute: options.attribute, category: options.categoryColumn)
    case .phoneBlock: JSONArrayRows(file, array: "numbers")
    case .vCard: try VCardRows(file)
    case .saracroche: JSONArrayRows(file, array: "patterns")
    case .csv, .ftcCSV, .ftcTSV, .jsonLines, .ringfence, .protectedList, .mispWarningList:
      try DelimitedRows(
        file, number: options.numberColumn, category: options.categoryColumn,
        region: (options.region ?? format.defaultRegion).flatMap { PhoneRegion($0)?.code })
    }
  }

  private mutating func read(
    _ source: inout any SourceFileRows, format: SourceFormat, options: SourceOptions, isComplete: Bool, most: Int,
    isCancelled: () -> Bool
  ) throws {
    var parser = PhoneNumberParser()
    let region = (options.region ?? format.defaultRegion).flatMap { PhoneRegion($0) }
    let filter = SourceFilter(options)
    var tried = 0
    while let outcome = try source.next() {
      tried += 1
      if tried % 1_024 == 0, isCancelled() { throw CancellationError() }
      guard tried <= 2 * most else { throw SourceFailure.tooManyEntries(maximum: most) }
      rejected.rows += 1
      let row: SourceFileRow
      switch outcome {
      case .row(let found): row = found
      case .range(let found):
        if let reason = try addRule(found, options) { reject(reason, found.number, line: source.line) }
        continue
      case .rejected(let reason, let text):
        reject(reason.rawValue, text, line: source.line)
        continue
      case .ignored: continue
      }
      // Without a region, digits alone are international.
      let cell = parser.readCell(row.number, region: region?.code, isInternational: region == nil)
      let reasons =
        cell.refusals.filter { $0.mask == nil }.map { RejectReason($0).rawValue }
        + (try cell.masks.compactMap { mask in
          try addRule(SourceFileRow(number: mask, category: row.category, isIdentified: row.isIdentified), options)
        })
      if let reason = reasons.first
        ?? (cell.numbers.isEmpty && cell.unassigned.isEmpty && cell.masks.isEmpty
          ? RejectReason.emptyNumber.rawValue : nil)
      {
        reject(reason, row.number, line: source.line)
      }
      if !cell.unassigned.isEmpty { rejected.unassigned += 1 }
      for number in cell.numbers + cell.unassigned where filter.takes(number) {
        if row.isRemoval {
          removals.append(number.digits)
        } else if let category = options.category(of: row.category) {
          entries.append(Entry(number: number.digits, category: category))
        } else if !isComplete {
          removals.append(number.digits)
        }
      }
      guard entries.count + removals.count <= most else { throw SourceFailure.tooManyEntries(maximum: most) }
    }
  }

  /// Adds the rule of a range, unless it is left out.
  /// - Returns: the code of the reason why the range cannot be read.
  /// - Throws: ``SourceFailure`` where there are too many rules.
  private mutating func addRule(_ row: SourceFileRow, _ options: SourceOptions) throws -> String? {
    let range: RangePattern
    do throws(RangeViolation) {
      range = try RangePattern(row.number, plan: .current)
    } catch {
      return error.code.name
    }
    guard let category = options.category(of: row.category), SourceFilter(options).takes(range) else { return nil }
    let name = row.category.flatMap { try? RuleViolation.line($0, "reason", atMost: TextLimit.reason) }
    ranges.append(
      RangeRule(
        stored: range, treatment: row.isIdentified ? .identify : .block, category: category, reason: name,
        state: .proposed, proposedAt: .distantPast))
    guard ranges.count <= RangeRule.maxRulesOfSource else {
      throw SourceFailure.tooManyEntries(maximum: RangeRule.maxRulesOfSource)
    }
    return nil
  }

  /// Counts a row that cannot be read, or only in part.
  private mutating func reject(_ reason: String, _ text: String, line: Int?) {
    rejected.add(row: line ?? rejected.rows, reason: reason, text: text)
  }

  /// Of several entries of a number the first category in the order of ``ReportCategory`` counts.
  private mutating func sort(countsRows: Bool) {
    entries.sort { ($0.number, $0.category.rawValue) < ($1.number, $1.category.rawValue) }
    var count = 0
    for entry in entries {
      guard count > 0, entries[count - 1].number == entry.number else {
        entries[count] = entry
        count += 1
        continue
      }
      let complaints = min(entries[count - 1].complaints + 1, SourceEntry.maxComplaints)
      if countsRows { entries[count - 1].complaints = complaints }
    }
    entries.removeSubrange(count...)
    removals.sort()
    var texts = Set<String>()
    ranges = ranges.filter { texts.insert($0.range.text).inserted }
  }
}
