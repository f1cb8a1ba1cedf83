// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A ``CodedMessage`` that is stored and read back: an enum whose cases are the codes and whose associated values are the
/// values. Its `CodingKeys` are its codes.
///
/// A value has the name of its label in snake_case. An unlabeled text is the value `detail`, a text in English from
/// another program or the operating system; an unlabeled struct gives its properties. The type has no description of its
/// own, because the compiler's is the name of the case. Use ``init(json:)`` to read it.
public protocol CodedData: CodedMessage, Decodable where Code == CodingKeys {
  associatedtype CodingKeys
}

extension CodedData {
  public var code: Code {
    let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
    return Code(stringValue: label)!
  }

  /// A text has at most 1,000 characters, and no NUL, which PostgreSQL refuses.
  public var values: [String: CodedValue] {
    var values: [String: CodedValue] = [:]
    if let payload = Mirror(reflecting: self).children.first { add(payload.value, nil, to: &values) }
    return values
  }

  private func add(_ value: Any, _ label: String?, to values: inout [String: CodedValue]) {
    let name = label?.snakeCase ?? "detail"
    switch value {
    case let number as any BinaryInteger: values[name] = Self.value(number, name)
    case let number as Double: values[name] = .decimal(number)
    case let text as String:
      let scalars = text.unicodeScalars.lazy.filter { $0 != "\0" }.prefix(1_000)
      values[name] = .text(String(String.UnicodeScalarView(scalars)))
    default:
      for part in Mirror(reflecting: value).children {
        // Unlabeled values have a number for a label, such as `.0`.
        add(part.value, part.label.flatMap { $0.hasPrefix(".") ? nil : $0 }, to: &values)
      }
    }
  }

  /// A count, or digits that are not a count.
  private static func value(_ number: some BinaryInteger, _ name: String) -> CodedValue {
    switch name {
    case "number", "previous": "+\(number)"
    case "serial", "accepted", "minimum", "status", "version", "known", "root": "\(number)"
    default: CodedValue(number)
    }
  }

  /// Reads the flat object from text.
  /// - Throws: `DecodingError`, including for an unknown code.
  public init(json: String) throws {
    let object = try JSONDecoder().decode([String: CodedValue].self, from: Data(json.utf8))
    try self.init(from: ObjectReader(object: object))
  }
}

extension String {
  /// A name in snake_case: `key_without_https` for `keyWithoutHTTPS`.
  var snakeCase: String {
    let letters = Array(self)
    var result = ""
    for (place, letter) in letters.enumerated() {
      // An initialism is one word.
      let isFirst = place > 0 && !letters[place - 1].isUppercase
      let isBeforeWord = place > 0 && place + 1 < letters.count && !letters[place + 1].isUppercase
      if letter.isUppercase, isFirst || isBeforeWord { result += "_" }
      result += letter.lowercased()
    }
    return result
  }
}

extension CodingKey {
  /// The name of an associated value; nil for one without a label.
  fileprivate var label: String? { stringValue == "_0" ? nil : stringValue.snakeCase }
}

/// Gives the synthesized decoding of a case what it asks for.
private struct ObjectReader: Decoder {
  let object: [String: CodedValue]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container(reader: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unreadable("[]") }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unreadable("") }

  /// The error about a value that is missing or has another type.
  func unreadable(_ name: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: name))
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: ObjectReader
    var codingPath: [any CodingKey] { [] }

    /// The code alone.
    var allKeys: [Key] {
      guard let codes = Key.self as? any MessageCode.Type else { return [] }
      func all<Code: MessageCode>(_ type: Code.Type) -> [Key] {
        type.allCases.filter { .text($0.name) == reader.object["code"] }.compactMap { $0 as? Key }
      }
      return all(codes)
    }

    func contains(_ key: Key) -> Bool { reader.object[key.label ?? "detail"] != nil }
    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let name = key.label ?? "detail"
      let found: Value? =
        switch reader.object[name] {
        case .integer(let number): Int(exactly: number) as? Value ?? number as? Value ?? Double(number) as? Value
        case .decimal(let number): number as? Value
        case .text(let text): text as? Value ?? Int64(text) as? Value ?? Int(text) as? Value
        case nil: key.label == nil ? try Value(from: reader) : nil
        }
      guard let found else { throw reader.unreadable(name) }
      return found
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
      reader.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try reader.unkeyedContainer()
    }
    func superDecoder() -> any Decoder { reader }
    func superDecoder(forKey key: Key) -> any Decoder { reader }
  }
}
