// SPDX-License-Identifier: Apache-2.0

import Support

/// Lines for Asterisk's console: `database put blacklist <number> "<note>"`.
///
/// Asterisk compares the number exactly as the trunk delivers it: see ``ExportOptions/numberPrefix``.
struct AsteriskEncoding: RecordEncoding {
  static var rangeForm: RangeForm { .few }

  let prefix: String

  init(options: ExportOptions) {
    prefix = options.numberPrefix.text
  }

  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    let note = Self.note(entry.label ?? "1")
    bytes.append("database put blacklist ")
    bytes.append(prefix)
    bytes.append(String(entry.number))
    bytes.append(" \"")
    bytes.append(note.text)
    bytes.append("\"\n")
    return note.altered ? .altered : .written
  }

  /// The label with a space for each character that has a meaning in the console or in a shell; quotation marks become
  /// typographic ones.
  private static func note(_ label: String) -> (text: String, altered: Bool) {
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars {
      switch scalar {
      case "'": text.append("\u{2019}")
      case "\"": text.append("\u{201D}")
      case " ", ".", ",", ":", "(", ")", "/", "&", "+", "-", "_", "#", "@": text.append(scalar)
      default:
        let isText = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        let isMark = scalar.properties.generalCategory == .nonspacingMark
        let isPunctuation = scalar.value > 0x9F && !scalar.properties.isWhitespace
        text.append(isText || isMark || isPunctuation ? scalar : " ")
      }
    }
    let note = String(text)
    return (note, note != label)
  }
}

/// A phonebook of the FRITZ!Box: contacts of one name with at most nine numbers each.
///
/// Numbers with the same label share contacts, because the device limits contacts. Memory is bounded by
/// ``ExportOptions/phonebookLimit``.
struct FritzBoxEncoding: RecordEncoding {
  /// The box reads an asterisk at the end of a number as any further digits.
  static var rangeForm: RangeForm { .allPatterns }
  var mayBePrefix: (@Sendable (_ prefix: Int64, _ digits: Int) -> Bool)? { options.hasOneLength }

  private let options: ExportOptions
  private var count = 0
  private var contacts: [(name: String, numbers: [String])] = []
  private var openContact: [String: Int] = [:]

  init(options: ExportOptions) throws {
    guard (1...100_000).contains(options.phonebookLimit) else {
      throw PackFormatError.option("a phonebook's limit lies between 1 and 100,000, not \(options.phonebookLimit)")
    }
    self.options = options
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome {
    guard count < options.phonebookLimit else {
      guard options.overLimit == .truncate else {
        throw PackFormatError.entry(
          number: entry.number, rule: "a phonebook holds at most \(options.phonebookLimit) numbers")
      }
      return .overLimit
    }
    count += 1
    let number = "\(entry.prefix)\(entry.wildcards > 0 ? "*" : "")"
    let name = TextCells.oneLine(entry.label ?? options.unnamedCaller)
    if let index = openContact[name.text] {
      contacts[index].numbers.append(number)
      if contacts[index].numbers.count == ExportOptions.numbersPerContact { openContact[name.text] = nil }
    } else {
      openContact[name.text] = contacts.count
      contacts.append((name.text, [number]))
    }
    return name.altered ? .altered : .written
  }

  func end(into bytes: inout [UInt8]) {
    bytes.append("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<phonebooks>\n")
    bytes.append("<phonebook name=\"\(XMLText.escaped(TextCells.oneLine(options.phonebookName).text))\">\n")
    for contact in contacts {
      let name = XMLText.escaped(contact.name)
      bytes.append("<contact><category>0</category><person><realName>\(name)</realName></person>")
      bytes.append("<telephony nid=\"\(contact.numbers.count)\">")
      for (index, number) in contact.numbers.enumerated() {
        let priority = index == 0 ? 1 : 0
        bytes.append("<number type=\"home\" prio=\"\(priority)\" id=\"\(index)\">+\(number)</number>")
      }
      bytes.append("</telephony></contact>\n")
    }
    bytes.append("</phonebook>\n</phonebooks>\n")
  }
}
