// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A contact of a vCard file.
struct VCard {
  /// The line of BEGIN.
  var line: Int
  /// The formatted name, or the organization.
  var name = ""
  /// The first category; nil for none.
  var category: String?
  /// The values of TEL: numbers or URIs.
  var numbers: [String] = []
}

/// Reads the contacts of vCard files 2.1, 3.0 and 4.0 (RFC 6350): names, categories and telephone numbers.
struct VCardReader {
  /// The most numbers of a contact.
  private static let maxNumbers = 10_000

  private let lines: CSVLines
  private var waiting: (text: String, number: Int)?
  /// The BEGIN that ended the card before it.
  private var interrupted: (String, Int)?

  /// Whether a first line begins a vCard.
  static func begins(_ line: [UInt8]) -> Bool {
    String(decoding: line.prefix(16), as: UTF8.self).uppercased().hasPrefix("BEGIN:VCARD")
  }

  /// - Parameter line: the line of the first BEGIN, which was read.
  init(_ lines: CSVLines, after line: Int) {
    self.lines = lines
    waiting = ("BEGIN:VCARD", line)
  }

  /// - Throws: ``ImportFileError``, `CancellationError`.
  mutating func next() throws -> VCard? {
    var card: VCard?
    var organization = ""
    while let (line, number) = try nextLine() {
      guard let property = Property(line) else { continue }
      switch property.name {
      case "BEGIN":
        // A card without its END is complete as far as it goes.
        if card != nil {
          interrupted = (line, number)
          return named(card, organization)
        }
        card = VCard(line: number)
      case "FN": card?.name = property.text
      case "N": if card?.name.isEmpty == true { card?.name = property.text }
      case "ORG": organization = property.text
      case "CATEGORIES": card?.category = property.value.split(separator: ",").first.map(String.init)
      case "TEL": if let count = card?.numbers.count, count < Self.maxNumbers { card?.numbers.append(property.text) }
      case "END": if let card = named(card, organization) { return card }
      default: break
      }
    }
    return named(card, organization)
  }

  private func named(_ card: VCard?, _ organization: String) -> VCard? {
    var card = card
    if card?.name.isEmpty == true { card?.name = organization }
    return card
  }

  /// The next line with its continuations.
  private mutating func nextLine() throws -> (String, Int)? {
    if let line = interrupted {
      interrupted = nil
      return line
    }
    guard let (first, number) = try waiting ?? raw() else { return nil }
    var text = first
    waiting = nil
    while let next = try raw() {
      if let first = next.text.first, first == " " || first == "\t" {
        text += next.text.dropFirst()
      } else if text.hasSuffix("="), text.contains(/QUOTED-PRINTABLE/.ignoresCase()) {
        text = text.dropLast() + next.text
      } else {
        waiting = next
        break
      }
      guard text.utf8.count < lines.maximumLineBytes else {
        throw ImportFileError.lineTooLong(path: "vCard", line: number, maximumBytes: lines.maximumLineBytes)
      }
    }
    return (text, number)
  }

  private func raw() throws -> (text: String, number: Int)? {
    try lines.next().map { (String.repairing($0.bytes).text, $0.number) }
  }

  /// A line of a contact.
  private struct Property {
    /// In capitals, without the group.
    let name: String
    let value: String

    /// - Returns: nil for a line without a value.
    init?(_ line: String) {
      var isQuoted = false
      let colon = line.firstIndex { character in
        if character == "\"" { isQuoted.toggle() }
        return character == ":" && !isQuoted
      }
      guard let colon else { return nil }
      let head = line[..<colon].uppercased()
      let name = head.prefix { $0 != ";" }
      self.name = String(name.split(separator: ".").last ?? name)
      let value = String(line[line.index(after: colon)...])
      guard head.contains("QUOTED-PRINTABLE") else {
        self.value = value
        return
      }
      let bytes = value.replacing("%", with: "%25").replacing("=", with: "%")
      self.value = bytes.removingPercentEncoding ?? value
    }

    /// The value without escapes; its components are separated by spaces.
    var text: String {
      let text = value.replacing(/\\([nN,;\\])|;/) { match in
        match.1.map { $0.lowercased() == "n" ? " " : String($0) } ?? (name == "TEL" ? ";" : " ")
      }
      return text.trimmingCharacters(in: .whitespaces)
    }
  }
}
