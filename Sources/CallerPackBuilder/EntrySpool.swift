// SPDX-License-Identifier: Apache-2.0

internal import CallerPack

/// A temporary file of entries, which is read again when the dictionary is known.
final class EntrySpool {
  private let sink: PackSink
  private var last: Int64 = 0
  private var record: [UInt8] = []

  init(beside path: String) throws(PackError) {
    sink = try PackSink(path: path + ".spool")
    sink.forgetName()
  }

  func append(_ number: Int64, roles: PackRoles, label: UnsafeRawBufferPointer) throws(PackError) {
    record.removeAll(keepingCapacity: true)
    varint(UInt64(number - last))
    record.append(roles.rawValue)
    varint(UInt64(label.count))
    record.append(contentsOf: label)
    try sink.write(record)
    last = number
  }

  private func varint(_ value: UInt64) {
    var value = value
    while value > 127 {
      record.append(UInt8(truncatingIfNeeded: value) | 128)
      value >>= 7
    }
    record.append(UInt8(value))
  }

  /// Calls `body` with every entry, in order.
  func forEach(_ body: (Int64, PackRoles, UnsafeRawBufferPointer) throws(PackError) -> Void) throws(PackError) {
    let input = SpoolReader(try sink.source())
    var number: Int64 = 0
    while try input.hasMore() {
      number += Int64(input.varint())
      let roles = PackRoles(rawValue: UInt8(input.varint()))
      try body(number, roles, input.take(Int(input.varint())))
    }
  }

  func cancel() { sink.cancel() }
}

/// Reads a spool in pieces. The same process wrote it, so its content is not checked.
private final class SpoolReader {
  private let source: PackSource
  private let buffer: UnsafeMutableRawBufferPointer
  private var at = 0
  private var end = 0
  private var offset = 0

  init(_ source: PackSource) {
    self.source = source
    buffer = .allocate(byteCount: 512 << 10, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Loads a complete record into the buffer; `false` at the end.
  func hasMore() throws(PackError) -> Bool {
    if end - at < PackLimits.labelBytes + 32, offset < source.count {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[at..<end]))
      end -= at
      at = 0
      let more = min(buffer.count - end, source.count - offset)
      try source.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + more]))
      offset += more
      end += more
    }
    return at < end
  }

  func varint() -> UInt64 {
    var value: UInt64 = 0, shift: UInt64 = 0
    while true {
      let byte = buffer[at]
      at += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
  }

  /// Returns the next bytes, valid until the next call of ``hasMore()``.
  func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { at += count }
    return UnsafeRawBufferPointer(rebasing: buffer[at..<at + count])
  }
}
