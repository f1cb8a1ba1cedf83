// SPDX-License-Identifier: Apache-2.0

extension PostgresScalar {
  public static var postgresTypeOfArray: PostgresType { postgresArrayType }

  /// Writes one dimension without NULLs.
  public static func encodeArray(_ values: [Self], into buffer: inout PostgresByteBuffer) {
    buffer.appendArrayHeader(count: values.count, hasNull: false, element: postgresType)
    for value in values { buffer.appendWithLength { value.encode(into: &$0) } }
  }

  /// Reads one dimension; nil for an array with a NULL.
  public static func decodeArray(_ value: PostgresValue) -> [Self]? {
    value.elements { element in element.flatMap { Self(postgresValue: $0) } }
  }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresScalar {
  public static var postgresTypeOfArray: PostgresType { Wrapped.postgresArrayType }

  /// Writes one dimension.
  public static func encodeArray(_ values: [Self], into buffer: inout PostgresByteBuffer) {
    let hasNull = values.contains { $0 == nil }
    buffer.appendArrayHeader(count: values.count, hasNull: hasNull, element: Wrapped.postgresType)
    for value in values {
      if let value {
        buffer.appendWithLength { value.encode(into: &$0) }
      } else {
        buffer.append(integer: Int32(-1))
      }
    }
  }

  /// Reads one dimension.
  public static func decodeArray(_ value: PostgresValue) -> [Self]? {
    value.elements { element -> Wrapped?? in
      guard let element else { return .some(nil) }
      return Wrapped(postgresValue: element).map { .some($0) }
    }
  }
}

extension UInt8: PostgresArrayElement {
  public static var postgresTypeOfArray: PostgresType { .bytea }
  public static func encodeArray(_ values: [UInt8], into buffer: inout PostgresByteBuffer) {
    buffer.bytes.append(contentsOf: values)
  }
  public static func decodeArray(_ value: PostgresValue) -> [UInt8]? {
    value.isOne(of: .bytea) ? Array(value.bytes) : nil
  }
}

extension Array: PostgresBindable, PostgresEncodable where Element: PostgresArrayElement {
  /// The type of the array; `bytea` for bytes.
  public static var postgresType: PostgresType { Element.postgresTypeOfArray }
  public func encode(into buffer: inout PostgresByteBuffer) { Element.encodeArray(self, into: &buffer) }
}

extension Array: PostgresColumn, PostgresDecodable where Element: PostgresArrayElement {
  /// Reads an array of one dimension, or an empty one.
  public init?(postgresValue: PostgresValue) {
    guard let values = Element.decodeArray(postgresValue) else { return nil }
    self = values
  }
}

extension Array: PostgresArrayElement where Element == UInt8 {}

extension Array: PostgresScalar where Element == UInt8 {
  public static var postgresArrayType: PostgresType { .byteaArray }
}

extension PostgresByteBuffer {
  mutating func appendArrayHeader(count: Int, hasNull: Bool, element: PostgresType) {
    append(integer: Int32(count == 0 ? 0 : 1))
    append(integer: Int32(hasNull ? 1 : 0))
    append(integer: element.rawValue)
    guard count > 0 else { return }
    append(integer: Int32(count))
    append(integer: Int32(1))
  }
}

extension PostgresValue {
  /// The elements of an array of at most one dimension, or nil when one is refused or the bytes are no such array.
  func elements<T>(_ decode: (PostgresValue?) -> T?) -> [T]? {
    func word(_ offset: Int) -> Int32 { Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)) }
    guard bytes.count >= 12 else { return nil }
    if word(0) == 0 { return [] }
    guard word(0) == 1, bytes.count >= 20 else { return nil }
    let element = PostgresType(rawValue: UInt32(bitPattern: word(8)))
    let count = Int(word(12))
    var result: [T] = []
    result.reserveCapacity(min(count, bytes.count / 4))
    var offset = 20
    for _ in 0..<count {
      guard offset + 4 <= bytes.count else { return nil }
      let length = Int(word(offset))
      offset += 4
      var value: PostgresValue?
      if length >= 0 {
        guard offset + length <= bytes.count else { return nil }
        value = PostgresValue(bytes: .init(rebasing: bytes[offset..<offset + length]), type: element)
        offset += length
      }
      guard let decoded = decode(value) else { return nil }
      result.append(decoded)
    }
    return result
  }
}
