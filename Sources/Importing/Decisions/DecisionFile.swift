// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Crypto
public import Curation
public import Foundation
import PhoneNumbers
import Storage

/// A file of decisions: a row for each number, in CSV with a header, or as JSON Lines.
public struct DecisionFile: Sendable {
  public enum Format: Sendable {
    /// RFC 4180 with a header, separated by commas, or by the first of semicolon, bar and tab in the header.
    case csv
    /// A JSON object on each line.
    case jsonLines
  }

  /// The columns, or members: only the first two are required.
  static let columns = ["number", "decision", "label", "category", "reason", "note", "expires_days"]
  public static let maxBytes = 64 << 20
  /// The most bytes of a record: a note of 2,000 characters and the other texts, escaped.
  private static let maxRecordBytes = 65_536

  /// The rows that can be read and obey the rules of single decisions.
  public private(set) var rows: [DecisionRow] = []
  public private(set) var problems: [DecisionRowProblem] = []
  private let time: Date
  private var known: Set<Int64> = []
  /// Whether the file has too many rows.
  private var isFull = false

  /// Reads a file on a thread of its own.
  /// - Parameters:
  ///   - data: UTF-8.
  ///   - time: the time of the decisions, from which they expire.
  public static func read(_ data: Data, as format: Format, at time: Date) async throws -> DecisionFile {
    try await runOnThread { DecisionFile(data, as: format, at: time) }
  }

  init(_ data: Data, as format: Format, at time: Date) {
    self.time = time
    // Other encodings would change labels that phones show.
    guard String(validating: data, as: UTF8.self) != nil, !data.prefix(512).contains(0) else {
      refuse(1, .wrongEncoding, "rows", "")
      return
    }
    let hasMark = data.starts(with: [0xEF, 0xBB, 0xBF])
    data.dropFirst(hasMark ? 3 : 0).withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      switch format {
      case .csv: readCSV(bytes)
      case .jsonLines: readLines(bytes)
      }
    }
    if rows.isEmpty, problems.isEmpty { refuse(1, .noRows, "rows", "") }
  }

  private mutating func readLines(_ bytes: UnsafeBufferPointer<UInt8>) {
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
      let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      let isRead = object?.count == Self.memberCount(line)
      take(isRead ? object.flatMap(Self.texts) : nil, line: index + 1)
      if isFull { return }
    }
  }

  /// The number of members of an object as it is written: of a repeated member the parser keeps one. Objects within it are
  /// refused anyway.
  private static func memberCount(_ line: some Sequence<UInt8>) -> Int {
    var (count, isInString, isEscaped) = (0, false, false)
    for byte in line {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: ":") where !isInString: count += 1
      default: break
      }
    }
    return count
  }

  /// The members as texts; nil for a member that is no text and no number, or that is not known.
  private static func texts(_ object: [String: Any]) -> [String: String]? {
    var fields: [String: String] = [:]
    for (name, value) in object {
      guard columns.contains(name) else { return nil }
      switch value {
      case let text as String: fields[name] = text
      case let number as NSNumber: fields[name] = "\(number)"
      case is NSNull: continue
      default: return nil
      }
    }
    return fields
  }

  private mutating func readCSV(_ bytes: UnsafeBufferPointer<UInt8>) {
    var (start, line, header, row) = (0, 1, [String]?.none, CSVRow())
    let separator = bytes.prefix { $0 != 0x0A }.first(where: DelimitedHeader.separators.contains) ?? CSVScanner.comma
    while start < bytes.count, !isFull {
      var (end, next, lines, scanner) = (start, start, 0, CSVScanner(separator: separator))
      repeat {
        let begin = next
        end = bytes[begin...].firstIndex(of: 0x0A) ?? bytes.count
        let isWindows = end > begin && bytes[end - 1] == 0x0D
        scanner.read(UnsafeBufferPointer(rebasing: bytes[begin..<(isWindows ? end - 1 : end)]))
        next = min(end + 1, bytes.count)
        lines += 1
      } while scanner.isInsideQuotes && next < bytes.count && end - start < Self.maxRecordBytes
      var isRead = !scanner.isInsideQuotes && !scanner.isMalformed
      if !isRead {
        // A missing quote: the first line is wrong, and the others are read again.
        end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        (next, lines) = (min(end + 1, bytes.count), 1)
      }
      let last = end > start && bytes[end - 1] == 0x0D ? end - 1 : end
      if last > start {
        isRead = isRead && row.read(UnsafeBufferPointer(rebasing: bytes[start..<last]), separator: separator)
        let fields = isRead ? (0..<row.count).map { String(decoding: row[$0], as: UTF8.self) } : []
        if let header {
          let texts = zip(header, fields).filter { !$1.isEmpty }
          take(fields.count == header.count ? Dictionary(texts) { first, _ in first } : nil, line: line)
        } else {
          header = fields
          guard isHeader(fields) else { return refuse(line, .notARow, "header", fields.joined(separator: ",")) }
        }
      }
      (start, line) = (next, line + lines)
    }
  }

  private func isHeader(_ names: [String]) -> Bool {
    Set(names).count == names.count && Set(names).isSubset(of: Self.columns)
      && Set(names).isSuperset(of: Self.columns.prefix(2))
  }

  /// - Parameter fields: nil for a row that cannot be read.
  private mutating func take(_ fields: [String: String]?, line: Int) {
    guard rows.count + problems.count < Bulk.maxRows else {
      // A part of a file is never decided.
      (rows, isFull) = ([], true)
      let violation = RuleViolation(.tooManyRows, field: "rows", most: Bulk.maxRows)
      problems = [DecisionRowProblem(line: line, value: "", violation)]
      return
    }
    guard let fields else { return refuse(line, .notARow, "row", "") }
    let text = fields["number"] ?? ""
    guard let number = Self.number(text) else { return refuse(line, .notANumber, "number", text) }
    do {
      let decision = try Decision(number: number, texts: fields, decidedBy: "file", decidedAt: time)
      guard known.insert(number).inserted else { return refuse(line, .numberRepeated, "number", text) }
      rows.append(DecisionRow(line: line, number: number, values: DecisionValues(decision)))
    } catch {
      problems.append(DecisionRowProblem(line: line, value: fields[error.field] ?? "", error))
    }
  }

  private mutating func refuse(_ line: Int, _ code: RuleViolation.Code, _ field: String, _ value: String) {
    problems.append(DecisionRowProblem(line: line, value: value, RuleViolation(code, field: field)))
  }

  /// A number in international form, with or without its plus: digits of a national form may be a number of another country.
  /// E.164 digits may be outside the plans, because they can be allowed.
  private static func number(_ text: String) -> Int64? {
    if let read = try? PhoneNumber.parsePossible(text, region: nil, isInternational: true) { return read.number.digits }
    return Int64(text).flatMap { String($0) == text ? PhoneNumber(digits: $0)?.digits : nil }
  }
}

extension DecisionFile {
  /// The id of a file's bulk decision, so that a command that was interrupted continues.
  /// - Parameter attempt: counts the decisions of one file that were undone, from 1.
  public static func id(of data: Data, attempt: Int) -> UUID {
    let digest = Hexadecimal.text(SHA256.hash(data: data))
    return UUID(naming: "decisions of the file \(digest) \(attempt)")
  }
}
