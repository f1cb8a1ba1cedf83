// SPDX-License-Identifier: Apache-2.0

/// RFC 4180: the header `number,label,block,pattern`, lines end in CR LF, `block` is 1 or 0.
///
/// A row has a number, or a pattern for a hundred or more numbers that follow each other: x is any digit.
///
/// Labels that a spreadsheet would read as a formula (they begin with = + - @) get an apostrophe in front.
struct CSVEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .allPatterns }

  func begin(into bytes: inout [UInt8]) { bytes.append("number,label,block,pattern\r\n") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let cell = CSVField.encode(entry.label ?? "")
    if entry.wildcards == 0 { bytes.append(String(entry.number)) }
    bytes.append(",")
    bytes.append(cell.text)
    bytes.append(entry.blocks ? ",1," : ",0,")
    if entry.wildcards > 0 { bytes.append(entry.digits(free: "x")) }
    bytes.append("\r\n")
    return cell.altered ? .altered : .written
  }
}

/// The import format of FreePBX's blacklist module: the header `number,description`, fields as in RFC 4180.
struct FreePBXEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .few }

  let prefix: String

  init(options: ExportOptions) {
    prefix = options.numberPrefix.text
  }

  func begin(into bytes: inout [UInt8]) { bytes.append("number,description\r\n") }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    // The module reads single lines: a quoted line end would give two entries.
    let line = TextCells.oneLine(entry.label ?? "")
    let cell = CSVField.encode(line.text)
    bytes.append(prefix)
    bytes.append(String(entry.number))
    bytes.append(",")
    bytes.append(cell.text)
    bytes.append("\r\n")
    return line.altered || cell.altered ? .altered : .written
  }
}

/// `number`, `number⇥label` or `number⇥label⇥block`, each followed by a line feed: the input of `ringfence pack build`.
///
/// A number alone blocks; a label identifies; a label with `block` does both. In a label `\\` is a backslash, `\t` a tab,
/// `\n` a line feed, `\r` a carriage return, and `\u` with four hex digits any other control character, U+2028 or U+2029.
struct TSVEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append(String(entry.number))
    if let label = entry.label {
      bytes.append("\t")
      bytes.append(TextCells.escaped(label))
      if entry.blocks { bytes.append("\tblock") }
    }
    bytes.append("\n")
    return .written
  }
}

/// `[uint16 length][uint64 number][UTF-8 name]`, little-endian, consecutive, ascending.
///
/// The length includes the number's eight bytes and the name, but not itself: a name has at most 65,527 bytes.
struct TwoGISEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome {
    let name = entry.label ?? ""
    let length = name.utf8.count + 8
    guard let stored = UInt16(exactly: length) else {
      throw PackFormatError.entry(number: entry.number, rule: "a name has at most 65,527 bytes in 2GIS records")
    }
    bytes.append(littleEndian: stored)
    bytes.append(littleEndian: UInt64(entry.number))
    bytes.append(name)
    return .written
  }
}

/// Ranges for apps that match patterns: `{"version":812,"name":"…","ranges":[{"first":"+…","last":"+…","label":"…","block":true}]}`,
/// ascending and without overlaps. A single number is a range of one; `label` is omitted if there is none.
struct RangesEncoding: RecordEncoding {
  private let options: ExportOptions
  private var isFirst = true

  static var rangeForm: RangeForm { .ranges }

  init(options: ExportOptions) {
    self.options = options
  }

  func begin(into bytes: inout [UInt8]) {
    bytes.append("{\"version\":\(options.serial),\"name\":\"")
    JSONLinesEncoding.escape(options.listName, into: &bytes)
    bytes.append("\",\"ranges\":[")
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append("\(isFirst ? "\n" : ",\n"){\"first\":\"+\(entry.number)\",\"last\":\"+\(entry.last)\"")
    isFirst = false
    if let label = entry.label {
      bytes.append(",\"label\":\"")
      JSONLinesEncoding.escape(label, into: &bytes)
      bytes.append("\"")
    }
    bytes.append(entry.blocks ? ",\"block\":true}" : ",\"block\":false}")
    return .written
  }

  func end(into bytes: inout [UInt8]) { bytes.append("]}\n") }
}

/// Fields of CSV (RFC 4180) that a spreadsheet shows as text. Every CSV that we write is made of them.
package enum CSVField {
  // Signs that begin a formula; in full width, too, which some spreadsheets read alike (OWASP, CSV injection).
  private static let formulaSigns = Set("=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}\t\r\n".unicodeScalars)
  // Signs before which a formula may still begin: spaces, marks that show nothing, quotation marks.
  private static let skipped = Set(" \u{A0}\u{3000}\u{200B}\u{FEFF}\"'".unicodeScalars)
  // The semicolon separates fields where the comma is the decimal sign.
  private static let quoted = Set("\",;\t\r\n".unicodeScalars)

  /// A text as one field: with an apostrophe in front where a spreadsheet would run it as a formula, and quoted where a
  /// reader would otherwise split it.
  /// - Returns: the field, and whether it got an apostrophe.
  package static func encode(_ text: String) -> (text: String, altered: Bool) {
    let first = text.unicodeScalars.first { !skipped.contains($0) }
    let altered = first.map(formulaSigns.contains) ?? false
    let field = altered ? "'" + text : text
    guard field.unicodeScalars.contains(where: quoted.contains) else { return (field, altered) }
    // By scalars: a quotation mark with a combining accent is another character and still ends a field.
    var scalars = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in field.unicodeScalars {
      if scalar == "\"" { scalars.append(scalar) }
      scalars.append(scalar)
    }
    scalars.append("\"")
    return (String(scalars), altered)
  }
}

/// One object in each line: `{"number":33199000248,"label":"…","block":true}`; `label` is omitted if there is none.
///
/// Numbers have at most 15 digits, so 64-bit floating-point numbers represent them exactly.
struct JSONLinesEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append("{\"number\":")
    bytes.append(String(entry.number))
    if let label = entry.label {
      bytes.append(",\"label\":\"")
      Self.escape(label, into: &bytes)
      bytes.append("\"")
    }
    bytes.append(entry.blocks ? ",\"block\":true}\n" : ",\"block\":false}\n")
    return .written
  }

  /// RFC 8259, section 7: only quotation mark, reverse solidus and U+0000…U+001F are escaped.
  static func escape(_ text: String, into bytes: inout [UInt8]) {
    let hexadecimal = Array("0123456789abcdef".utf8)
    for byte in text.utf8 {
      switch byte {
      case 0x22: bytes.append("\\\"")
      case 0x5C: bytes.append("\\\\")
      case ..<0x20:
        bytes.append("\\u00")
        bytes.append(hexadecimal[Int(byte >> 4)])
        bytes.append(hexadecimal[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }
}
