// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// Listed numbers of one treatment as contacts of at most nine numbers, as many as a FRITZ!Box has room for.
package struct AddressBook: Sendable {
  /// The treatment of the numbers. A FRITZ!Box blocks an address book as one, so each treatment has its own.
  package enum Kind: String, CaseIterable, Sendable {
    case block
    case identify
  }

  /// A number with the name that phones show.
  package struct Entry: Codable, Equatable, Sendable {
    package let number: Int64
    package let name: String

    /// - Parameters: see the properties.
    package init(number: Int64, name: String) {
      self.number = number
      self.name = name
    }
  }

  /// A contact.
  package struct Card: Sendable, Equatable {
    /// The name of its file, which follows from the beginning of its numbers and their name: another number changes one
    /// card.
    package let name: String
    /// A vCard 3.0 (RFC 2426).
    package let text: String
    /// Changes with the text.
    package let tag: String
  }

  private static let numbersInCard = 9

  package let kind: Kind
  /// The serial of the publication.
  package let serial: Int64
  /// In ascending order of name.
  package let cards: [Card]
  /// Changes with the cards.
  package let tag: String
  private let places: [String: Int]

  /// - Parameter entries: each number once.
  package init(_ kind: Kind, serial: Int64, entries: [Entry]) {
    self.kind = kind
    self.serial = serial
    var cards: [Card] = []
    for (name, members) in Dictionary(grouping: entries, by: \.name) {
      Self.add(members, name: name, kind, digits: 0, to: &cards)
    }
    cards.sort { $0.name < $1.name }
    self.cards = cards
    tag = Self.digest(cards.map { "\($0.name) \($0.tag)\n" }.joined())
    places = Dictionary(cards.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }

  package subscript(name: String) -> Card? { places[name].map { cards[$0] } }

  /// The cards that are new or differ from those of an earlier book, and the names of the removed ones.
  package func changes(since earlier: AddressBook) -> (changed: [Card], removed: [String]) {
    (cards.filter { earlier[$0.name] != $0 }, earlier.cards.map(\.name).filter { self[$0] == nil })
  }

  /// Adds the numbers of one name as cards. More than nine are divided by their next digit, so that a change of one
  /// number changes few cards.
  /// - Parameter digits: the count of digits that all numbers begin with.
  private static func add(_ members: [Entry], name: String, _ kind: Kind, digits: Int, to cards: inout [Card]) {
    guard members.count > numbersInCard else {
      cards.append(card(members.sorted { $0.number < $1.number }, name: name, kind, digits: digits))
      return
    }
    for (_, part) in Dictionary(grouping: members, by: { String($0.number).dropFirst(digits).first }) {
      add(part, name: name, kind, digits: digits + 1, to: &cards)
    }
  }

  private static func card(_ members: [Entry], name: String, _ kind: Kind, digits: Int) -> Card {
    let beginning = members.first.map { String($0.number).prefix(digits) } ?? ""
    let id = digest("\(kind.rawValue)\n\(name)\n\(beginning)").prefix(16)
    let shown = escaped(name)
    let title = kind == .block ? "SPAM: \(shown)\(beginning.isEmpty ? "" : " +\(beginning)...")" : shown
    let lines =
      [
        "BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Ringfence//EN", "UID:ringfence-\(id)", "FN:\(title)",
        "N:\(title);;;;", "CATEGORIES:\(kind == .block ? "SPAM" : "CALLER")",
      ] + members.map { "TEL;TYPE=WORK:+\($0.number)" } + ["END:VCARD", ""]
    let text = lines.joined(separator: "\r\n")
    return Card(name: "\(id).vcf", text: text, tag: digest(text))
  }

  /// A value of a vCard: one line of at most 60 characters.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    // Clients read scalars: one that separates values may have a combining mark after it.
    for scalar in String(text.prefix(60)).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: escaped.append(" ")
      default:
        if ["\\", ",", ";"].contains(scalar) { escaped.append("\\") }
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// 32 hex digits.
  private static func digest(_ text: String) -> String { String(PackDigest.of(Array(text.utf8)).hex.prefix(32)) }
}
