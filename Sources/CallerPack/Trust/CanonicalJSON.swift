// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Support

/// The JSON of published documents: sorted keys, no spaces, times by ``Timestamp/document(_:)``, a newline at the end; see
/// ``CanonicalForm``.
enum CanonicalJSON {
  /// The longest document that is read: 1 MiB.
  static let limit = 1 << 20

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard Timestamp.document(date.documentTime) == date else {
        throw EncodingError.invalidValue(
          date, .init(codingPath: encoder.codingPath, debugDescription: "a time is in the years 0001 to 9999"))
      }
      var container = encoder.singleValueContainer()
      try container.encode(date.documentTime)
    }
    return [UInt8](try encoder.encode(value)) + [0x0A]
  }

  /// Decodes a document after a check of its type and version.
  static func decode<Value: Decodable>(
    _ value: Value.Type, from bytes: [UInt8], type: String, version: Int
  ) throws(UpdateError) -> Value {
    guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count, limit: limit) }
    guard CanonicalForm.isKept(by: bytes) else { throw .malformed("The \(type) is not in canonical form") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let date = Timestamp.document(text) else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a time"))
      }
      return date
    }
    do {
      let start = try decoder.decode(Start.self, from: Data(bytes))
      guard start.type == type else {
        throw UpdateError.malformed("The document is of type \(start.type), not \(type)")
      }
      guard start.version == version else { throw UpdateError.unsupported(version: start.version, known: version) }
      return try decoder.decode(Value.self, from: Data(bytes))
    } catch let error as UpdateError {
      throw error
    } catch {
      throw .malformed("The \(type) is not JSON of the documented form")
    }
  }

  private struct Start: Decodable {
    let type: String
    let version: Int
  }
}

extension Date {
  /// This time in the form of documents, such as `2026-11-22T01:10:00Z`.
  package var documentTime: String { Timestamp.format(self) }
}

extension Data {
  /// Decodes Base64 in its only form: padded, with zeros in the bits that carry nothing.
  init?(canonicalBase64 text: String) {
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
    self = data
  }
}

/// Checks that a document is canonical JSON, so that one content has one form and every reader reads the same content.
///
/// Objects with keys in strictly ascending byte order, so none twice; no spaces; integers, strings, `true` and `false`,
/// but no `null`; in strings well-formed UTF-8 without control characters, and only `\"` and `\\` as escapes; at most
/// eight levels; one newline at the end.
struct CanonicalForm {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0

  private static let levels = 8

  /// Returns whether a document has the form. Its fields have any names and values.
  static func isKept(by bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var form = CanonicalForm(bytes: buffer)
      return form.object(level: 1) && form.take(0x0A) && form.at == buffer.count && UTF8Rule.isValid(buffer)
    }
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at += 1
    return true
  }

  private mutating func value(level: Int) -> Bool {
    switch next {
    case 0x7B: object(level: level)
    case 0x5B: array(level: level)
    case 0x22: string() != nil
    case 0x74: word("true")
    case 0x66: word("false")
    default: integer()
    }
  }

  private mutating func object(level: Int) -> Bool {
    guard level <= Self.levels, take(0x7B) else { return false }
    if take(0x7D) { return true }
    var before: Range<Int>?
    repeat {
      guard let key = string(), take(0x3A), value(level: level + 1) else { return false }
      if let before, !bytes[before].lexicographicallyPrecedes(bytes[key]) { return false }
      before = key
    } while take(0x2C)
    return take(0x7D)
  }

  private mutating func array(level: Int) -> Bool {
    guard level <= Self.levels, take(0x5B) else { return false }
    if take(0x5D) { return true }
    repeat {
      guard value(level: level + 1) else { return false }
    } while take(0x2C)
    return take(0x5D)
  }

  /// Returns the bytes between the quotation marks.
  private mutating func string() -> Range<Int>? {
    guard take(0x22) else { return nil }
    let start = at
    while let byte = next, byte >= 0x20, byte != 0x7F {
      at += 1
      if byte == 0x22 { return start..<at - 1 }
      if byte == 0x5C { guard take(0x22) || take(0x5C) else { return nil } }
    }
    return nil
  }

  private mutating func word(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { letters in letters.allSatisfy { take($0) } }
  }

  /// At most 18 digits without leading zeros, after a minus only for less than 0.
  private mutating func integer() -> Bool {
    let isNegative = take(0x2D)
    if take(0x30) { return !isNegative }
    let start = at
    while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
    return (1...18).contains(at - start)
  }
}
