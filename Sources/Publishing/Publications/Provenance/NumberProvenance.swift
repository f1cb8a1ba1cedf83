// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PackFormats

/// The evidence for a listed number in the form in which it is kept until the packs are written.
struct NumberProvenance: Equatable {
  /// E.164 digits.
  var number: Int64
  var category: ReportCategory
  var treatment: ListedNumber.Treatment
  /// See ``ProvenanceRow/strength``.
  var strength: Int?
  /// The day of the last complaint, in days since 1970-01-01.
  var lastDay: Int32?
  /// Ascending.
  var origins: [ServerID]
  /// How many servers have passed the evidence on, this one included; 0 for evidence of its own.
  var hops = 0
}

/// A range that a rule lists, in evidence files.
struct RangeProvenance: Equatable {
  var numbers: ClosedRange<Int64>
  var category: ReportCategory
  var treatment: ListedNumber.Treatment

  func row(by server: ServerID) -> ProvenanceRow {
    ProvenanceRow(
      number: numbers.lowerBound, last: numbers.upperBound, category: category.slug, treatment: treatment.word,
      origins: [server.text])
  }
}

/// The id of a server: 16 lower-case hex digits.
struct ServerID: Hashable, Comparable {
  let value: UInt64

  init(value: UInt64) {
    self.value = value
  }

  init?(_ text: String) {
    guard text.wholeMatch(of: /[0-9a-f]{16}/) != nil, let value = UInt64(text, radix: 16) else { return nil }
    self.value = value
  }

  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func < (a: ServerID, b: ServerID) -> Bool { a.value < b.value }
}

extension ProvenanceRow {
  init(_ evidence: NumberProvenance) {
    self.init(
      number: evidence.number, category: evidence.category.slug, treatment: evidence.treatment.word,
      strength: evidence.strength,
      lastDay: evidence.lastDay.map { day in
        Date(timeIntervalSince1970: Double(day) * 86_400).formatted(.iso8601.year().month().day())
      },
      origins: evidence.origins.map(\.text), hops: evidence.hops > 0 ? evidence.hops : nil)
  }
}

extension ListedNumber.Treatment {
  /// The treatment in an evidence file.
  var word: String {
    switch self {
    case .block: "block"
    case .identify: "identify"
    }
  }
}

/// Reads the rows of an evidence file one after another.
final class ProvenanceFileReader {
  let header: ProvenanceHeader
  private let file: GzipFileReader
  private var buffer: ArraySlice<UInt8> = []
  private var pending: (number: Int64, line: [UInt8])?

  /// - Returns: nil for a file of another version.
  /// - Throws: errors of the file.
  init?(_ path: String) throws {
    file = try GzipFileReader(URL(filePath: path))
    guard let line = try Self.line(&buffer, file), let header = ProvenanceLine.header(line) else { return nil }
    self.header = header
  }

  /// Returns the line of a number; nil if there is none. Numbers of later calls must be greater.
  func line(of number: Int64) throws -> [UInt8]? {
    while true {
      if pending == nil {
        guard let line = try Self.line(&buffer, file) else { return nil }
        guard !ProvenanceLine.isRange(line), let found = ProvenanceLine.number(line) else { continue }
        pending = (found, line)
      }
      guard let row = pending, row.number <= number else { return nil }
      pending = nil
      if row.number == number { return row.line }
    }
  }

  static func ranges(_ path: String) throws -> [ProvenanceRow] {
    guard let reader = try ProvenanceFileReader(path) else { return [] }
    var rows: [ProvenanceRow] = []
    while let line = try line(&reader.buffer, reader.file) {
      if ProvenanceLine.isRange(line) { rows.append(try ProvenanceLine.row(line)) }
    }
    return rows
  }

  /// Takes the next line with its end from the buffer, which is filled from the file.
  private static func line(_ buffer: inout ArraySlice<UInt8>, _ file: GzipFileReader) throws -> [UInt8]? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        defer { buffer = buffer[(end + 1)...] }
        return Array(buffer[...end])
      }
      guard let more = try file.read() else { return nil }
      buffer = ArraySlice(buffer + more)
    }
  }
}
