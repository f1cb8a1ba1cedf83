// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

/// Rows of a JSON document: the objects of an array that is a member of the document's object.
///
/// The document is not read into memory, only one object at a time.
struct JSONArrayRows: SourceFileRows {
  /// An object of PhoneBlock's array.
  private struct Member: Decodable {
    var phone: String
    var votes: Int?
    var rating: String?
  }

  /// An object of Saracroche's array: digits, and `#` for each digit that is free.
  private struct Pattern: Decodable {
    var pattern: String
    var name: String?
    /// `block` or `identify`; nil for `block`.
    var action: String?
  }

  /// The longest object, in bytes.
  private static let maxBytes = 8_192
  private static let maxDepth = 32

  private(set) var version: Int64?
  let line: Int? = nil
  private let bytes: SourceBytes
  private let array: [UInt8]
  private let decoder = JSONDecoder()
  private var scanner = Scanner()

  /// Where a byte is.
  private struct Scanner {
    var depth = 0
    var isInString = false
    var isEscaped = false
    /// The last string, and the key of the member, of the outermost object.
    var string: [UInt8] = []
    var key: [UInt8] = []
    var isInArray = false
    /// The number that is being read as the value of `version`.
    var number: [UInt8] = []
    var isEnded = false
  }

  /// - Parameter array: the name of the member.
  /// - Throws: ``ImportFileError``.
  init(_ file: FileBytes, array: String) {
    bytes = SourceBytes(file)
    self.array = Array(array.utf8)
  }

  mutating func next() throws -> SourceFileRow.Outcome? {
    var object: [UInt8]?
    var isTooLong = false
    while let byte = try bytes.next() {
      let wasInString = scanner.isInString
      let before = scanner.depth
      try scan(byte)
      if !wasInString, byte == UInt8(ascii: "{"), before == 2, scanner.isInArray { object = [] }
      guard object != nil else { continue }
      if (object?.count ?? 0) < Self.maxBytes { object?.append(byte) } else { isTooLong = true }
      if !wasInString, byte == UInt8(ascii: "}"), scanner.depth == 2, let object {
        return isTooLong ? Self.rejected(.lineTooLong, object) : outcome(object)
      }
    }
    guard scanner.isEnded else { throw SourceFailure.unreadable("the document ends early") }
    return nil
  }

  private func outcome(_ object: [UInt8]) -> SourceFileRow.Outcome {
    if let member = try? decoder.decode(Pattern.self, from: Data(object)) {
      return outcome(member) ?? Self.rejected(.notANumber, object)
    }
    let decoded = try? decoder.decode(Member.self, from: Data(object))
    guard let member = decoded else { return Self.rejected(.badField, object) }
    return .row(SourceFileRow(number: member.phone, category: member.rating, isRemoval: (member.votes ?? 1) <= 0))
  }

  private static func rejected(_ reason: RejectReason, _ object: [UInt8]) -> SourceFileRow.Outcome {
    .rejected(reason, text: String.repairing(object.prefix(ComplaintLimits.rejectTextBytes)).text)
  }

  /// - Returns: nil for a pattern that cannot be read.
  private func outcome(_ member: Pattern) -> SourceFileRow.Outcome? {
    // Older lists have X.
    let head = member.pattern.prefix { $0 != "#" && $0 != "X" }
    guard head.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2B }) else { return nil }
    let free = member.pattern.dropFirst(head.count)
    guard free.allSatisfy({ $0 == free.first }) else { return nil }
    switch member.action ?? "block" {
    case "block": break
    case "identify" where !free.isEmpty: break
    // Another action is no reason to list a number.
    default: return .ignored
    }
    let row = SourceFileRow(
      number: member.pattern, category: member.name, isIdentified: member.action == "identify")
    return free.isEmpty ? .row(row) : .range(row)
  }

  private mutating func scan(_ byte: UInt8) throws(SourceFailure) {
    if scanner.isInString {
      if scanner.isEscaped {
        scanner.isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        scanner.isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        scanner.isInString = false
      } else if scanner.depth == 1, scanner.string.count < 64 {
        scanner.string.append(byte)
      }
      return
    }
    let isRoot = scanner.depth == 1
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: return
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard !scanner.isEnded, scanner.depth > 0 || byte == UInt8(ascii: "{") else { throw Self.notJSON }
      if isRoot { scanner.isInArray = byte == UInt8(ascii: "[") && scanner.key == array }
      scanner.depth += 1
      guard scanner.depth <= Self.maxDepth else { throw .unreadable("values are nested too deeply") }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if isRoot { endNumber() }
      scanner.depth -= 1
      guard scanner.depth >= 0 else { throw Self.notJSON }
      if scanner.depth == 1 { scanner.isInArray = false }
      scanner.isEnded = scanner.depth == 0
    default:
      guard scanner.depth > 0 else { throw Self.notJSON }
      guard isRoot else {
        if byte == UInt8(ascii: "\"") { scanner.isInString = true }
        return
      }
      switch byte {
      case UInt8(ascii: "\""):
        scanner.isInString = true
        scanner.string = []
      case UInt8(ascii: ":"):
        scanner.key = scanner.string
        scanner.number = []
      case UInt8(ascii: ","): endNumber()
      default: if scanner.number.count < 20 { scanner.number.append(byte) }
      }
    }
  }

  private mutating func endNumber() {
    if scanner.key == Array("version".utf8), let value = Int64(String(decoding: scanner.number, as: UTF8.self)) {
      version = value
    }
    scanner.number = []
  }

  private static let notJSON = SourceFailure.unreadable("the file is not a JSON object")
}
