// SPDX-License-Identifier: Apache-2.0

/// A message in the wire format of protobuf (`live_caller_id.proto`): fields in ascending order, without those that have
/// the default value.
struct ProtobufMessage {
  private(set) var bytes: [UInt8] = []

  /// Adds bytes, a text or a message.
  mutating func add(_ field: UInt64, _ value: some Collection<UInt8>) {
    guard !value.isEmpty else { return }
    append(field << 3 | 2)
    append(UInt64(value.count))
    bytes += value
  }

  mutating func add(_ field: UInt64, _ value: UInt64) {
    guard value != 0 else { return }
    append(field << 3)
    append(value)
  }

  /// Seven bits a byte, the lowest first; the highest bit says that more follow.
  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
