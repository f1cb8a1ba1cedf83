// SPDX-License-Identifier: Apache-2.0

import XMLSyntax

/// A phonebook of the FRITZ!Box: contacts of one name with at most nine numbers each.
///
/// Numbers with the same label share contacts, because the device limits contacts. Memory is bounded by
/// ``ExportOptions/phonebookLimit``.
struct FritzBoxEncoding: RecordEncoding {
  /// Maximum numbers of a contact.
  static let numbersPerContact = 9

  private let options: ExportOptions
  private var count = 0
  private var contacts: [(name: String, numbers: [Int64])] = []
  private var openContact: [String: Int] = [:]

  init(options: ExportOptions) throws {
    guard (1...100_000).contains(options.phonebookLimit) else {
      throw PackFormatError.option("a phonebook's limit lies between 1 and 100,000, not \(options.phonebookLimit)")
    }
    self.options = options
  }

  mutating func encode(_ entry: ListEntry, into bytes: inout [UInt8]) throws -> RecordOutcome {
    guard entry.blocks || options.includesIdentified else { return .notBlocking }
    guard count < options.phonebookLimit else {
      guard options.overLimit == .truncate else {
        throw PackFormatError.entry(
          number: entry.number, rule: "a phonebook holds at most \(options.phonebookLimit) numbers")
      }
      return .overLimit
    }
    count += 1
    let name = TextCells.oneLine(entry.label ?? options.unnamedCaller)
    if let index = openContact[name.text] {
      contacts[index].numbers.append(entry.number)
      if contacts[index].numbers.count == Self.numbersPerContact { openContact[name.text] = nil }
    } else {
      openContact[name.text] = contacts.count
      contacts.append((name.text, [entry.number]))
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
