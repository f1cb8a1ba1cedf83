// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Rules for JSON that Foundation's decoder does not enforce. Parsers disagree about text that breaks them, so a filter
/// in front of the server could read different content than the server.
package enum JSONText {
  /// Whether a text is UTF-8 (RFC 8259, 8.1); Foundation reads UTF-16 and UTF-32 too.
  package static func isUTF8(_ data: Data) -> Bool {
    // JSON text contains no NUL; UTF-16 and UTF-32 text of ASCII characters does.
    !data.contains(0) && String(validating: data, as: UTF8.self) != nil
  }

  /// Whether objects and arrays are nested deeper than a limit, in any text.
  package static func isDeeper(than limit: Int, _ data: Data) -> Bool {
    var (depth, isString, isEscaped) = (0, false, false)
    for byte in data {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth > limit { return true }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return false
  }

  /// The first repeated member name in an object (RFC 8259, 4).
  /// - Parameter data: a text that a decoder has accepted.
  package static func repeatedMember(in data: Data) -> Problem.Field? {
    data.withUnsafeBytes { bytes in
      var scanner = MemberScanner(bytes: bytes)
      return scanner.repeatedMember()
    }.map { Problem.Field(pointer: $0, code: "repeated", detail: "Send this member once.") }
  }
}

private struct MemberScanner {
  private enum Container {
    case object(names: Set<[UInt8]>, current: [UInt8], expectsName: Bool)
    case array(index: Int)
  }

  let bytes: UnsafeRawBufferPointer
  private var containers: [Container] = []

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// A JSON pointer to the first repeated member.
  mutating func repeatedMember() -> String? {
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"): containers.append(.object(names: [], current: [], expectsName: true))
      case UInt8(ascii: "["): containers.append(.array(index: 0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = containers.popLast()
      case UInt8(ascii: ","): next()
      case UInt8(ascii: "\""):
        let start = place
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
          place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        if !note(start..<min(place + 1, bytes.count)) { return pointer }
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Continues with the next item of the innermost container.
  private mutating func next() {
    switch containers.popLast() {
    case .object(let names, let current, _):
      containers.append(.object(names: names, current: current, expectsName: true))
    case .array(let index): containers.append(.array(index: index + 1))
    case nil: break
    }
  }

  /// - Parameter range: of a string with its quotes.
  /// - Returns: false for a name that its object already has.
  private mutating func note(_ range: Range<Int>) -> Bool {
    guard case .object(var names, _, true)? = containers.last else { return true }
    containers.removeLast()
    let name = name(range)
    let isNew = names.insert(name).inserted
    containers.append(.object(names: names, current: name, expectsName: false))
    return isNew
  }

  private func name(_ range: Range<Int>) -> [UInt8] {
    let text = Array(bytes[range])
    guard text.contains(UInt8(ascii: "\\")),
      let plain = try? JSONDecoder().decode(String.self, from: Data(text))
    else { return Array(text.dropFirst().dropLast()) }
    return Array(plain.utf8)
  }

  private var pointer: String {
    containers.map { container in
      switch container {
      case .object(_, let name, _):
        "/"
          + String(decoding: name, as: UTF8.self).replacingOccurrences(of: "~", with: "~0")
          .replacingOccurrences(of: "/", with: "~1")
      case .array(let index): "/\(index)"
      }
    }.joined()
  }
}
