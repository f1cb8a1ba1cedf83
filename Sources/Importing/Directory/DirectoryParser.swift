// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// Parses rows into numbers with names; each task has its own.
struct DirectoryParser {
  /// The result of a chunk, besides the rows added to the run.
  struct Outcome: Sendable {
    var rejects: [ImportReject] = []
    /// Bad numbers in rows that also have a good one.
    var badNumbers = 0
    var rows = 0
    var numbers = 0
    var bytesRead: UInt64 = 0
    var totalBytes: UInt64?
  }

  private let options: DirectoryOptions
  private let columns: DirectoryColumns
  private let isCSV: Bool
  // Numbers of a directory rarely repeat, so no cache is used.
  private var parser = PhoneNumberParser(capacity: 0)
  private var row = DirectoryRow()

  init(options: DirectoryOptions, columns: DirectoryColumns, isCSV: Bool) {
    self.options = options
    self.columns = columns
    self.isCSV = isCSV
  }

  /// Parses a chunk's rows and adds their numbers and names to the run.
  mutating func parse(_ chunk: RecordChunk, into run: inout DirectoryRun) -> Outcome {
    var outcome = Outcome(rows: chunk.records.count, bytesRead: chunk.bytesRead, totalBytes: chunk.totalBytes)
    chunk.bytes.withUnsafeBufferPointer { bytes in
      for record in chunk.records {
        let text = UnsafeBufferPointer(rebasing: bytes[record.start..<record.end])
        guard let reason = problem(record, text, &run, &outcome) else { continue }
        let kept = String.repairing(text.prefix(ComplaintLimits.rejectTextBytes)).text
        outcome.rejects.append(ImportReject(line: record.line, reason: reason, text: kept))
      }
    }
    return outcome
  }

  /// Adds a row's numbers to the run; returns the reason where there is none.
  private mutating func problem(
    _ record: RecordChunk.Record, _ text: UnsafeBufferPointer<UInt8>, _ run: inout DirectoryRun,
    _ outcome: inout Outcome
  ) -> RejectReason? {
    if let problem = record.problem { return problem }
    guard row.read(text, isCSV: isCSV) else { return .badQuote }
    if let count = columns.count, row.count != count { return .wrongColumns }
    let needed = max(columns.numbers.max() ?? 0, columns.name, columns.category ?? 0, columns.region ?? 0)
    guard needed < row.count else { return .wrongColumns }
    let name = row.withField(columns.name) { NameCleaner.cleaned($0, limit: DirectoryLimits.nameBytes) }
    guard !name.isEmpty else { return .missingName }
    let category = columns.category.map { column in
      row.withField(column) { NameCleaner.cleaned($0, limit: DirectoryLimits.categoryBytes) }
    }
    var region = options.region
    if let column = columns.region {
      let code = row.withField(column) { String(decoding: $0, as: UTF8.self) }
      if !code.allSatisfy(\.isWhitespace) { region = code }
    }
    var found: [Int64] = []
    var bad: RejectReason?
    let badBefore = outcome.badNumbers
    for column in columns.numbers {
      let cell = row.withField(column) { String(decoding: $0, as: UTF8.self) }
      bad = numbers(in: cell, region: region, &found, &outcome) ?? bad
    }
    guard !found.isEmpty else {
      outcome.badNumbers = badBefore
      return bad ?? .emptyNumber
    }
    outcome.numbers += found.count
    for number in found { run.add(number, line: record.line, name: name, category: category ?? []) }
    return nil
  }

  /// Reads a cell that may contain several numbers; returns the reason of the last bad one.
  private mutating func numbers(
    in cell: String, region: String?, _ found: inout [Int64], _ outcome: inout Outcome
  ) -> RejectReason? {
    guard let separator = cell.utf8.first(where: Self.divides) else {
      return number(cell, region: region, &found, &outcome)
    }
    // 030/1234567 is one number, and so is one with an extension behind a comma: these separators apply only to text
    // that cannot be parsed.
    if !Self.alwaysDivides(separator), !cell.utf8.contains(where: Self.alwaysDivides),
      let number = try? parser.parse(cell, region: region)
    {
      add(number.digits, to: &found)
      return nil
    }
    let divides = cell.utf8.contains(where: Self.alwaysDivides) ? Self.alwaysDivides : Self.divides
    var bad: RejectReason?
    for (index, piece) in cell.utf8.split(whereSeparator: divides).enumerated() {
      guard index < DirectoryLimits.numbersOfARow else {
        outcome.badNumbers += 1
        continue
      }
      bad = number(String(piece) ?? "", region: region, &found, &outcome) ?? bad
    }
    return bad
  }

  private static func alwaysDivides(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: "|") || byte == 0x0A
  }

  private static func divides(_ byte: UInt8) -> Bool {
    alwaysDivides(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "/")
  }

  private mutating func number(
    _ text: String, region: String?, _ found: inout [Int64], _ outcome: inout Outcome
  ) -> RejectReason? {
    do throws(PhoneNumberError) {
      add(try parser.parse(text, region: region).digits, to: &found)
      return nil
    } catch {
      if error == .empty || Self.saysNothing(text) { return nil }
      // A remark, as in 6565 3692 (Secondary), would be parsed as letters of a keypad.
      if let bare = Self.withoutRemarks(text), let number = try? parser.parse(bare, region: region) {
        add(number.digits, to: &found)
        return nil
      }
      outcome.badNumbers += 1
      return RejectReason(error)
    }
  }

  private func add(_ number: Int64, to found: inout [Int64]) {
    if !found.contains(number) { found.append(number) }
  }

  /// The text without words in parentheses; nil where there are none.
  private static func withoutRemarks(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "(")) else { return nil }
    let bare = text.replacing(/\([^()]*\p{L}[^()]*\)/, with: "")
    return bare == text ? nil : bare
  }

  /// Whether a text is a placeholder for an empty cell.
  private static func saysNothing(_ text: String) -> Bool {
    ["na", "n/a", "n.a.", "-", "--", "none", "null", "nil", "n", "a"].contains(
      text.lowercased().filter { !$0.isWhitespace })
  }
}
