// SPDX-License-Identifier: Apache-2.0

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
