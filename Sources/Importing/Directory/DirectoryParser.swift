// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
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
  private let separator: UInt8
  private var parser = PhoneNumberParser()
  private var row = DirectoryRow()

  init(options: DirectoryOptions, columns: DirectoryColumns, separator: UInt8) {
    self.options = options
    self.columns = columns
    self.separator = separator
  }

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
    // A name may begin with a sign of comments.
    if columns.numbers == [0], CommentLine.begins(text, separator: separator) { return nil }
    if text.contains(where: { $0 >= 0x80 }), String.decoding(text) == nil { return .wrongEncoding }
    guard row.read(text, separator: separator) else { return .badQuote }
    if let count = columns.count, row.count != count { return .wrongColumns }
    let needed = max(columns.numbers.max() ?? 0, columns.name, columns.category ?? 0, columns.region ?? 0)
    guard needed < row.count else { return .wrongColumns }
    let name = row.withField(columns.name) { NameCleaner.cleaned($0, limit: DirectoryEntry.nameBytes) }
    guard !name.isEmpty else { return .missingName }
    let category = columns.category.map { column in
      row.withField(column) { NameCleaner.cleaned($0, limit: DirectoryEntry.categoryBytes) }
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
    let read = parser.readCell(cell, region: region)
    for number in read.numbers where !found.contains(number.digits) { found.append(number.digits) }
    outcome.badNumbers += read.refusals.count + read.unassigned.count
    return read.refusals.last.map { RejectReason($0) } ?? (read.unassigned.isEmpty ? nil : .unassigned)
  }
}

/// Cleans names of directories. The script is unchanged; nothing is transliterated or re-cased.
enum NameCleaner {
  /// The text in Unicode's composed form (NFC), runs of spaces as one, without control characters, marks that change
  /// the direction of writing, and invisible characters (joiners stay: scripts need them); cut between characters to
  /// `limit` bytes. Text of Windows-1252 is converted. May be empty.
  static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) -> [UInt8] {
    if bytes.count <= limit, isPlain(bytes) { return Array(bytes) }
    var scalars = String.UnicodeScalarView()
    var needsSpace = false
    for scalar in String.repairing(bytes).text.unicodeScalars {
      switch replacement(scalar) {
      case .nothing: continue
      case .space: needsSpace = !scalars.isEmpty
      case .itself:
        if needsSpace { scalars.append(" ") }
        needsSpace = false
        scalars.append(scalar)
      }
    }
    let text = String(scalars).precomposedStringWithCanonicalMapping
    return Array(cut(text, to: limit).utf8)
  }

  /// Whether the text needs no cleaning: printable ASCII and composed Latin, Cyrillic and Chinese letters, without
  /// spaces at the ends or two in a row. Most names are like this; checking and composing each letter takes a hundred
  /// times as long.
  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isBehindSpace = true
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if 0x21..<0x7F ~= byte {
        at += 1
        isBehindSpace = false
      } else if byte == 0x20 {
        guard !isBehindSpace else { return false }
        at += 1
        isBehindSpace = true
      } else {
        let more = composedLetter(byte)
        guard more > 0, at + more < bytes.count, bytes[(at + 1)...(at + more)].allSatisfy({ 0x80..<0xC0 ~= $0 })
        else { return false }
        at += 1 + more
        isBehindSpace = false
      }
    }
    return !isBehindSpace || bytes.isEmpty
  }

  /// The number of bytes after a first byte that begins only letters and signs in composed form, whatever precedes or
  /// follows them among such letters; 0 for every other byte.
  private static func composedLetter(_ first: UInt8) -> Int {
    switch first {
    // U+00C0 to U+027F; U+0400 to U+047F.
    case 0xC3...0xC9, 0xD0, 0xD1: 1
    // U+4000 to U+9FFF.
    case 0xE4...0xE9: 2
    default: 0
    }
  }

  private enum Replacement { case itself, space, nothing }

  private static func replacement(_ scalar: Unicode.Scalar) -> Replacement {
    if scalar.value > 0x20, scalar.value < 0x7F { return .itself }
    switch scalar.properties.generalCategory {
    case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: return .space
    case .format:
      // Joiners, and the tags of flags.
      return scalar.value == 0x200C || scalar.value == 0x200D || (0xE0020...0xE007F).contains(scalar.value)
        ? .itself : .nothing
    case .surrogate: return .nothing
    case .unassigned: return scalar.properties.isNoncharacterCodePoint ? .nothing : .itself
    default: return .itself
    }
  }

  private static func cut(_ text: String, to limit: Int) -> Substring {
    guard text.utf8.count > limit else { return text[...] }
    var bytes = 0
    var end = text.startIndex
    for index in text.indices {
      bytes += text[index].utf8.count
      if bytes > limit { break }
      end = text.index(after: index)
    }
    while end > text.startIndex, text[text.index(before: end)] == " " { end = text.index(before: end) }
    return text[..<end]
  }
}
