// SPDX-License-Identifier: Apache-2.0

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
