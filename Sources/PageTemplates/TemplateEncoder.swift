// SPDX-License-Identifier: Apache-2.0

extension TemplateValue {
  /// The stored properties of a value and its nested values, by the names of their coding keys. Texts and numbers
  /// become text, Booleans flags, sequences lists, all others records. An optional without a value is omitted.
  ///
  /// It uses the encoding that the compiler generates, so rendering needs no reflection.
  /// - Throws: errors of the value's own `encode(to:)`; generated encodings throw none.
  public init?(_ value: some Encodable) throws {
    if let direct = value as? any TemplateValueConvertible {
      self = direct.templateValue
    } else {
      try self.init(encoding: value)
    }
  }

  /// Uses the value's own encoding even if it conforms to ``TemplateValueConvertible``. Nested values may use their
  /// own.
  /// - Throws: see ``init(_:)``.
  public init?(encoding value: some Encodable) throws {
    let encoder = TemplateEncoder(codingPath: [])
    try value.encode(to: encoder)
    guard let result = encoder.result else { return nil }
    self = result
  }
}

/// Encodes one value.
final class TemplateEncoder: Encoder {
  private enum Content {
    case nothing
    case single(TemplateValue)
    case list([TemplateValue])
    case record([TemplateRecord.Field])
  }

  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private var content = Content.nothing
  /// Values whose containers may still change. They are added when the result is requested.
  private var open: [(name: String?, encoder: TemplateEncoder)] = []

  init(codingPath: [any CodingKey]) {
    self.codingPath = codingPath
  }

  var result: TemplateValue? {
    for each in open { each.encoder.result.map { append($0, as: each.name) } }
    open = []
    return switch content {
    case .nothing: nil
    case .single(let value): value
    case .list(let items): .list(items)
    case .record(let fields): .record(TemplateRecord(fields: fields))
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .nothing = content { content = .record([]) }
    return KeyedEncodingContainer(TemplateFields<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .nothing = content { content = .list([]) }
    return TemplateItems(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { TemplateSingle(encoder: self) }

  func set(_ value: TemplateValue) { content = .single(value) }

  var count: Int {
    if case .list(let items) = content { items.count + open.count } else { 0 }
  }

  /// - Parameter name: of a field; nil for an item of a list.
  func append(_ value: TemplateValue, as name: String?) {
    // The content is moved out while it changes; otherwise the array would be copied each time.
    let old = content
    content = .nothing
    switch (old, name) {
    case (.record(var fields), .some(let name)):
      fields.append(TemplateRecord.Field(name: name, value: value))
      content = .record(fields)
    case (.list(var items), .none):
      items.append(value)
      content = .list(items)
    default: content = old
    }
  }

  func append(_ value: some Encodable, as name: String?) throws {
    if let value = try TemplateValue(value) { append(value, as: name) }
  }

  func opened(as name: String?) -> TemplateEncoder {
    let inner = TemplateEncoder(codingPath: [])
    open.append((name, inner))
    return inner
  }
}

/// Encodes the fields of a record.
struct TemplateFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: TemplateEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func put(_ value: TemplateValue, _ key: Key) { encoder.append(value, as: key.stringValue) }

  func encodeNil(forKey key: Key) {}
  func encode(_ value: Bool, forKey key: Key) { put(.flag(value), key) }
  func encode(_ value: String, forKey key: Key) { put(.text(value), key) }
  func encode(_ value: Double, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Float, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Int, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Int8, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Int16, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Int32, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: Int64, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: UInt, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: UInt8, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: UInt16, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: UInt32, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: UInt64, forKey key: Key) { put(.text("\(value)"), key) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.append(value, as: key.stringValue) }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    encoder.opened(as: key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.opened(as: key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.opened(as: "super") }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.opened(as: key.stringValue) }
}

/// Encodes the items of a list.
struct TemplateItems: UnkeyedEncodingContainer {
  let encoder: TemplateEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  private func put(_ value: TemplateValue) { encoder.append(value, as: nil) }

  func encodeNil() {}
  func encode(_ value: Bool) { put(.flag(value)) }
  func encode(_ value: String) { put(.text(value)) }
  func encode(_ value: Double) { put(.text("\(value)")) }
  func encode(_ value: Float) { put(.text("\(value)")) }
  func encode(_ value: Int) { put(.text("\(value)")) }
  func encode(_ value: Int8) { put(.text("\(value)")) }
  func encode(_ value: Int16) { put(.text("\(value)")) }
  func encode(_ value: Int32) { put(.text("\(value)")) }
  func encode(_ value: Int64) { put(.text("\(value)")) }
  func encode(_ value: UInt) { put(.text("\(value)")) }
  func encode(_ value: UInt8) { put(.text("\(value)")) }
  func encode(_ value: UInt16) { put(.text("\(value)")) }
  func encode(_ value: UInt32) { put(.text("\(value)")) }
  func encode(_ value: UInt64) { put(.text("\(value)")) }
  func encode(_ value: some Encodable) throws { try encoder.append(value, as: nil) }

  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
    encoder.opened(as: nil).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.opened(as: nil).unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder.opened(as: nil) }
}

/// Encodes one text, number or Boolean.
struct TemplateSingle: SingleValueEncodingContainer {
  let encoder: TemplateEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() {}
  func encode(_ value: Bool) { encoder.set(.flag(value)) }
  func encode(_ value: String) { encoder.set(.text(value)) }
  func encode(_ value: Double) { encoder.set(.text("\(value)")) }
  func encode(_ value: Float) { encoder.set(.text("\(value)")) }
  func encode(_ value: Int) { encoder.set(.text("\(value)")) }
  func encode(_ value: Int8) { encoder.set(.text("\(value)")) }
  func encode(_ value: Int16) { encoder.set(.text("\(value)")) }
  func encode(_ value: Int32) { encoder.set(.text("\(value)")) }
  func encode(_ value: Int64) { encoder.set(.text("\(value)")) }
  func encode(_ value: UInt) { encoder.set(.text("\(value)")) }
  func encode(_ value: UInt8) { encoder.set(.text("\(value)")) }
  func encode(_ value: UInt16) { encoder.set(.text("\(value)")) }
  func encode(_ value: UInt32) { encoder.set(.text("\(value)")) }
  func encode(_ value: UInt64) { encoder.set(.text("\(value)")) }
  func encode(_ value: some Encodable) throws { try value.encode(to: encoder) }
}
