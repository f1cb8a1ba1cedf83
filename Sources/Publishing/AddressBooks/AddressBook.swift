// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CallerPack
package import Foundation
import PackFormats
import Support

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Listed numbers of one treatment as contacts of at most nine numbers, as many as a FRITZ!Box has room for.
package struct AddressBook: Sendable {
  /// A FRITZ!Box blocks an address book as one, so each treatment has its own.
  package enum Kind: String, CaseIterable, Sendable {
    case block
    case identify
  }

  /// A number with the name that phones show.
  package struct Entry: Codable, Equatable, Sendable {
    package let number: Int64
    package let name: String

    package init(number: Int64, name: String) {
      self.number = number
      self.name = name
    }

    /// An entry whose name says how old the book is. Phones leave out contacts without a number; this one is of a range
    /// that North America keeps for fiction (555-0100), so that no call is ever blocked by it.
    package static func day(_ time: Date) -> Entry {
      Entry(number: 12_015_550_100, name: "Ringfence \(Timestamp.format(time).prefix(10))")
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

  package let kind: Kind
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

  /// The cards that are new or differ from an earlier book, and the names of the removed ones.
  package func changes(since earlier: AddressBook) -> (changed: [Card], removed: [String]) {
    (cards.filter { earlier[$0.name] != $0 }, earlier.cards.map(\.name).filter { self[$0] == nil })
  }

  /// Adds the numbers of one name as cards. More than nine are divided by their next digit, so that a change of one
  /// number changes few cards.
  /// - Parameter digits: the count of digits that all numbers begin with.
  private static func add(_ members: [Entry], name: String, _ kind: Kind, digits: Int, to cards: inout [Card]) {
    guard members.count > ExportOptions.numbersPerContact else {
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

/// The entries of address books by publication, in the folder `.addressbooks` of the publications. A restarted server
/// and other servers on the folder have the same books, and clients with an earlier one get the changes alone.
package struct AddressBookFiles: Sendable {
  /// The publications whose books are kept.
  private static let kept = 30

  private let folder: String
  /// Ends the names of files. Books with other settings differ.
  private let settings: String

  /// - Parameters:
  ///   - limit: the most numbers in a book.
  ///   - region: the region of the numbers, ISO 3166 alpha-2; nil for all.
  ///   - hasDay: whether books have ``AddressBook/Entry/day(_:)``.
  package init(folder: PublicationFolder, limit: Int, region: String?, hasDay: Bool) {
    // The name changes with the content, so that no file of an earlier program is read.
    self.folder = folder.filePath(".addressbooks/1")
    settings = "\(limit)-\(region ?? "all")\(hasDay ? "-day" : "")"
  }

  /// Nil if it is not kept.
  package func book(_ kind: AddressBook.Kind, serial: Int64) async -> AddressBook? {
    await Task(executorPreference: ConcurrentQueueExecutor.publishing) {
      entries(kind, serial: serial).map { AddressBook(kind, serial: serial, entries: $0) }
    }.value
  }

  /// - Returns: the book of another server, if it was first.
  package func keep(_ entries: [AddressBook.Entry], of book: AddressBook) async throws -> AddressBook {
    try await Task(executorPreference: ConcurrentQueueExecutor.publishing) {
      let kept = try keep(entries, book.kind, serial: book.serial)
      return kept == entries ? book : AddressBook(book.kind, serial: book.serial, entries: kept)
    }.value
  }

  private func entries(_ kind: AddressBook.Kind, serial: Int64) -> [AddressBook.Entry]? {
    FileManager.default.contents(atPath: path(kind, serial)).flatMap {
      try? JSONDecoder().decode([AddressBook.Entry].self, from: $0)
    }
  }

  private func keep(
    _ entries: [AddressBook.Entry], _ kind: AddressBook.Kind, serial: Int64
  ) throws -> [AddressBook.Entry] {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    removeOld()
    let path = path(kind, serial)
    let temporary = "\(folder)/.\(UUID().uuidString).part"
    defer { unlink(temporary) }
    try DurableFile.replace(temporary, with: JSONEncoder().encode(entries))
    if link(temporary, path) != 0 {
      guard errno == EEXIST else { throw PublishingError.cannotWrite(path, errno: errno) }
      if let earlier = self.entries(kind, serial: serial) { return earlier }
      try DurableFile.move(temporary, to: path)
    }
    return entries
  }

  private func path(_ kind: AddressBook.Kind, _ serial: Int64) -> String {
    "\(folder)/\(serial)-\(kind.rawValue)-\(settings).json"
  }

  /// Removes the books of all but the newest publications, and what an interrupted program has left.
  private func removeOld() {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let serials = Set(files.compactMap(Self.serial)).sorted(by: >).prefix(Self.kept)
    for file in files {
      let isKept = Self.serial(of: file).map(serials.contains) ?? isNew(file)
      if !isKept { unlink("\(folder)/\(file)") }
    }
  }

  private static func serial(of file: String) -> Int64? { file.split(separator: "-").first.flatMap { Int64($0) } }

  /// Whether another server may be writing the file.
  private func isNew(_ file: String) -> Bool {
    let changed = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.modificationDate] as? Date
    return changed.map { -$0.timeIntervalSinceNow < 86_400 } ?? true
  }
}
