// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

/// Formats numbers and foreign text for a terminal, the same in every locale.
package enum TextFormat {
  /// 1234567 → 1,234,567.
  package static func grouped(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.append(digits.suffix(3))
      digits = String(digits.dropLast(3))
    }
    return (value < 0 ? "-" : "") + ([digits] + groups.reversed().map(String.init)).joined(separator: ",")
  }

  /// A count with its noun: 1 report, 2 reports.
  /// - Parameter plural: the words for any other count than 1; nil for the noun with an s.
  static func count(_ value: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(value) \(words(value, noun, plural))"
  }

  /// As ``count(_:_:_:)`` with groups of three digits: 1,234 rows.
  static func grouped(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(grouped(value)) \(words(value, noun, plural))"
  }

  private static func words(_ value: some BinaryInteger, _ noun: String, _ plural: String?) -> String {
    value == 1 ? noun : plural ?? noun + "s"
  }

  /// One decimal digit: 12.34 → 12.3.
  package static func oneDigit(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "–" }
    let tenths = Int((abs(value) * 10).rounded())
    return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }

  /// Seconds below a minute with one decimal digit, then minutes and hours: 8.2 s, 3 min 5 s, 2 h 10 min.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "–" }
    if seconds < 59.95 { return "\(oneDigit(seconds)) s" }
    let whole = Int(seconds.rounded())
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }

  /// Seconds that are estimated: 1 s to 10 s, then in steps of 5 s, minutes, and 10 minutes.
  static func estimate(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "–" }
    let step: Double = seconds < 10 ? 1 : seconds < 57.5 ? 5 : seconds < 3_570 ? 60 : 600
    let rounded = Int(max(step, (seconds / step).rounded() * step))
    if rounded < 60 { return "\(rounded) s" }
    if rounded < 3_600 { return "\(rounded / 60) min" }
    return "\(rounded / 3_600) h" + (rounded % 3_600 == 0 ? "" : " \(rounded % 3_600 / 60) min")
  }

  /// Bytes in decimal units: 11.6 MB.
  package static func bytes(_ count: Double) -> String {
    for (unit, size) in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)] where count >= size {
      return "\(oneDigit(count / size)) \(unit)"
    }
    return "\(Int(count)) B"
  }

  /// The text with U+FFFD for each control or format character, which could control a terminal.
  static func printable(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
      default: scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}

/// Rows under a header.
struct TextTable {
  private let rows: [[String]]

  /// - Parameter rows: each with as many cells as there are columns.
  init(_ columns: [String], _ rows: [[String]]) {
    self.rows = [columns] + rows
  }

  /// - Parameter rows: one or more, with equal columns.
  init(_ rows: [TableRow]) {
    self.init(rows.first.map { $0.values.map(\.key) } ?? [], rows.map(\.cells))
  }

  /// Tab-separated; tabs and line breaks in a cell become spaces.
  var tsv: String {
    rows.map { cells in
      cells.map { String($0.map { "\t\n\r".contains($0) ? " " : $0 }) }.joined(separator: "\t")
    }.joined(separator: "\n")
  }

  /// Aligned columns: text to the left, figures to the right.
  var aligned: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let isFigure = rows[0].indices.map { column in
      rows.dropFirst().allSatisfy { Double($0[column].replacing(",", with: "")) != nil }
    }
    return rows.map { cells in
      let padded = cells.indices.map { column in
        let gap = String(repeating: " ", count: widths[column] - cells[column].count)
        return isFigure[column] ? gap + cells[column] : cells[column] + gap
      }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

/// A row of a table, whose JSON has the columns as keys.
struct TableRow: Encodable, ExpressibleByDictionaryLiteral {
  enum Value {
    case text(String)
    case integer(Int64)
    /// Written without trailing zeros, with at most four decimal digits.
    case figure(Double)
    /// No value: absent in JSON, and this text in a table.
    case none(shown: String)
  }

  private struct Column: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  fileprivate let values: [(key: String, value: Value)]

  init(_ values: [(String, Value)]) { self.values = values.map { (key: $0.0, value: $0.1) } }

  init(dictionaryLiteral values: (String, Value)...) { self.init(values) }

  fileprivate var cells: [String] {
    values.map { _, value in
      switch value {
      case .text(let text), .none(let text): text
      case .integer(let integer): "\(integer)"
      case .figure(let figure):
        String(format: "%.4f", figure).replacing(/0+$/, with: "").replacing(/\.$/, with: "")
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Column.self)
    for (name, value) in values {
      let column = Column(stringValue: name)
      switch value {
      case .text(let text): try container.encode(text, forKey: column)
      case .integer(let integer): try container.encode(integer, forKey: column)
      case .figure(let figure): try container.encode(figure.readable, forKey: column)
      case .none: break
      }
    }
  }
}

extension TableRow.Value {
  static func count(_ count: some BinaryInteger) -> Self { .integer(Int64(count)) }

  static func country(_ code: String?, else shown: String) -> Self { code.map { .text($0) } ?? .none(shown: shown) }
}

/// Writes the command line's JSON: indented, with sorted keys in snake_case.
enum CommandJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
