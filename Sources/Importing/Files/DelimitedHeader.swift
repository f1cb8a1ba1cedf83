// SPDX-License-Identifier: Apache-2.0

/// Lines of lists that are no entries.
public enum CommentLine {
  private static let encodings: Set<String> = ["utf-8", "utf8", "utf-16", "windows-1252", "iso-8859-1"]

  /// Whether a line is a comment, a rule of a Markdown table, or the name of an encoding.
  ///
  /// Comments of public lists begin with `#` or `//`, and with `;` where it separates no fields (Asterisk). Signs of other
  /// languages are no comments of lists: a number behind one of them is refused.
  /// - Parameter separator: of fields; a `#` before it is the name of a column.
  public static func begins(_ line: some StringProtocol, separator: UInt8? = nil) -> Bool {
    let bytes = line.utf8.drop { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == CSVScanner.quote }
    guard let first = bytes.first else { return false }
    let text = bytes.dropFirst()
    switch first {
    case UInt8(ascii: "#"): return text.first.map { !DelimitedHeader.separators.contains($0) } ?? true
    case UInt8(ascii: "/"): return text.first == UInt8(ascii: "/")
    case UInt8(ascii: ";"): return separator != first
    case UInt8(ascii: "|"), UInt8(ascii: "-"), UInt8(ascii: ":"):
      return text.count > 3 && text.allSatisfy { "|-: ".utf8.contains($0) }
    case UInt8(ascii: "U"), UInt8(ascii: "u"), UInt8(ascii: "W"), UInt8(ascii: "w"), UInt8(ascii: "I"),
      UInt8(ascii: "i"):
      return encodings.contains(line.lowercased())
    default: return false
    }
  }

  /// The same of a record's bytes.
  static func begins(_ record: some Collection<UInt8>, separator: UInt8) -> Bool {
    guard let first = record.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), first != UInt8(ascii: "+")
    else { return false }
    return begins(String(decoding: record.prefix(64), as: UTF8.self), separator: separator)
  }
}

/// The first line of a delimited file that is neither empty nor a comment.
struct DelimitedHeader {
  static let separators = Array(",;|\t".utf8)
  /// The keys of columns with numbers, as directories name them.
  private static let numberNames: Set = [
    "number", "phone", "phone_number", "tel", "phones", "phone_numbers", "phone_no", "telephone", "telephone_number",
    "telephone_no", "telephone_numbers", "tel_no", "mobile", "fax_and_phone", "contact_number", "telefon", "téléphone",
    "teléfono", "telefono", "telefoon", "telefonnummer", "rufnummer",
  ]

  /// The separator that a line `sep=;` of a spreadsheet names, or the first one of the header outside of quotes; a comma
  /// where there is none.
  let separator: UInt8
  /// The fields; empty where the quotes are wrong.
  let fields: [String]
  let bytes: [UInt8]
  let line: Int
  /// The fields of a comment before the header that has as many: `# number,category` above rows. Empty for none.
  private(set) var commented: [String] = []

  /// The name of a column in lowercase, with `_` in place of everything that is no letter and no digit.
  static func key(_ name: String) -> String {
    name.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }).joined(separator: "_")
  }

  /// Whether a column has numbers, by its key: `telephone_no_2` is a further one like `telephone_no`, and Google's contacts
  /// have `phone_1_value`.
  static func isOfNumbers(_ key: String) -> Bool {
    if key.wholeMatch(of: /phone_[0-9]+_value/) != nil { return true }
    guard let bar = key.lastIndex(of: "_"), key[key.index(after: bar)...].allSatisfy(\.isNumber) else {
      return numberNames.contains(key)
    }
    return numberNames.contains(String(key[..<bar]))
  }

  /// Reads up to the header; nil at the end of the file.
  /// - Throws: ``ImportFileError``, `CancellationError`.
  init?(_ lines: CSVLines, path: String) throws {
    var (named, comment): (UInt8?, String) = (nil, "")
    while let next = try lines.next() {
      guard !next.isTooLong else {
        throw ImportFileError.lineTooLong(path: path, line: next.number, maximumBytes: lines.maximumLineBytes)
      }
      let text = String.repairing(next.bytes).text
      if let match = text.wholeMatch(of: /\s*"?sep=(.)"?\s*/.ignoresCase()), let byte = match.1.utf8.first,
        Self.separators.contains(byte)
      {
        named = byte
        continue
      }
      if text.allSatisfy(\.isWhitespace) { continue }
      if CommentLine.begins(text) {
        comment = text
        continue
      }
      var isQuoted = false
      let found = next.bytes.first { byte in
        if byte == CSVScanner.quote { isQuoted.toggle() }
        return !isQuoted && Self.separators.contains(byte)
      }
      separator = named ?? found ?? CSVScanner.comma
      (bytes, line) = (Array(next.bytes), next.number)
      var row = CSVRow()
      fields = row.read(next.bytes, separator: separator) ? row.texts : []
      let names = comment.drop { "# ".contains($0) }.split(
        separator: Character(Unicode.Scalar(separator)), omittingEmptySubsequences: false)
      if comment.hasPrefix("#"), names.count > 1, names.count == fields.count { commented = names.map(String.init) }
      return
    }
    return nil
  }
}

extension CSVRow {
  var texts: [String] { (0..<count).map { String.repairing(self[$0]).text } }
}
