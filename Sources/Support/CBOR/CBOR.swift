// SPDX-License-Identifier: Apache-2.0

/// A value of CBOR (RFC 8949), as devices and authenticators write it: integers, bytes, texts, arrays, maps, booleans
/// and null.
public enum CBOR: Equatable, Sendable {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([Key: CBOR])
  case bool(Bool)
  case null

  public enum Key: Hashable, Sendable {
    case integer(Int64)
    case text(String)
  }

  public enum Problem: Error, Equatable, Sendable {
    /// The bytes end within a value.
    case endedEarly
    /// Bytes follow the value.
    case bytesLeft(Int)
    /// More bytes than ``maxBytes``.
    case tooLong(Int)
    /// More levels than ``maxDepth``.
    case tooDeep
    /// More members of an array or a map than ``maxMembers``.
    case tooManyMembers(UInt64)
    /// A number or a length that has a shorter form.
    case notShortest
    /// A length that is given by an end mark.
    case indefinite
    /// A tag, a float, another simple value, or an integer beyond 64 bits with a sign.
    case unsupported(UInt8)
    /// A text that is not UTF-8.
    case notText
    /// A key of a map that is neither an integer nor a text.
    case unsupportedKey
    case repeatedKey
  }

  public static let maxBytes = 16_384
  public static let maxDepth = 8
  static let maxMembers = 64

  /// Reads one value, which is all of the bytes.
  public init(_ bytes: [UInt8]) throws(Problem) {
    var rest = bytes[...]
    try self.init(readingFrom: &rest)
    guard rest.isEmpty else { throw .bytesLeft(rest.count) }
  }

  /// Reads one value from the beginning of the bytes, and removes its bytes from them.
  public init(readingFrom bytes: inout ArraySlice<UInt8>) throws(Problem) {
    guard bytes.count <= Self.maxBytes else { throw .tooLong(bytes.count) }
    self = try Self.read(&bytes, depth: 0)
  }

  /// The member of a map; nil for another value and for a map without the key.
  public subscript(key: Key) -> CBOR? {
    guard case .map(let members) = self else { return nil }
    return members[key]
  }

  private static func read(_ bytes: inout ArraySlice<UInt8>, depth: Int) throws(Problem) -> CBOR {
    let (first, value) = try head(&bytes)
    switch first >> 5 {
    case 0: return .integer(try signed(value, first))
    case 1: return .integer(-1 - (try signed(value, first)))
    case 2: return .bytes(Array(try take(value, &bytes)))
    case 3:
      guard let text = String(validating: try take(value, &bytes), as: UTF8.self) else { throw .notText }
      return .text(text)
    case 4:
      var members: [CBOR] = []
      for _ in 0..<(try count(value, depth)) { members.append(try read(&bytes, depth: depth + 1)) }
      return .array(members)
    case 5:
      var members: [Key: CBOR] = [:]
      for _ in 0..<(try count(value, depth)) {
        let key = try Key(try read(&bytes, depth: depth + 1))
        guard members.updateValue(try read(&bytes, depth: depth + 1), forKey: key) == nil else { throw .repeatedKey }
      }
      return .map(members)
    case 7 where first == 0xF4 || first == 0xF5: return .bool(first == 0xF5)
    case 7 where first == 0xF6: return .null
    default: throw .unsupported(first)
    }
  }

  /// The first byte of a value and the number that it gives, in its shortest form.
  private static func head(_ bytes: inout ArraySlice<UInt8>) throws(Problem) -> (first: UInt8, value: UInt64) {
    guard let first = bytes.popFirst() else { throw .endedEarly }
    // Floats and simple values have no length.
    guard first >> 5 < 6 else { return (first, 0) }
    let short = first & 31
    guard short >= 24 else { return (first, UInt64(short)) }
    guard short < 28 else { throw short == 31 ? .indefinite : .unsupported(first) }
    let value = try take(1 << UInt64(short - 24), &bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let least: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
    guard value >= least[Int(short - 24)] else { throw .notShortest }
    return (first, value)
  }

  private static func signed(_ value: UInt64, _ first: UInt8) throws(Problem) -> Int64 {
    guard let value = Int64(exactly: value) else { throw .unsupported(first) }
    return value
  }

  private static func take(_ count: UInt64, _ bytes: inout ArraySlice<UInt8>) throws(Problem) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.count) else { throw .endedEarly }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return bytes.prefix(Int(count))
  }

  private static func count(_ value: UInt64, _ depth: Int) throws(Problem) -> Int {
    guard depth < maxDepth else { throw .tooDeep }
    guard value <= UInt64(maxMembers) else { throw .tooManyMembers(value) }
    return Int(value)
  }
}

extension CBOR.Key {
  fileprivate init(_ value: CBOR) throws(CBOR.Problem) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    default: throw .unsupportedKey
    }
  }
}
