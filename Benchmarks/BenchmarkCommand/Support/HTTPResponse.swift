// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An HTTP/1.1 response at the start of a buffer.
struct HTTPResponse: Equatable {
  let status: Int
  /// The range of the body; the next response begins behind it.
  let body: Range<Int>
  /// Whether the server closes the connection after it.
  let closes: Bool

  /// The bytes are not an HTTP/1.1 response with a Content-Length.
  struct Malformed: Error, Equatable {}

  /// Reads a response; nil while bytes of it are missing.
  /// - Throws: ``Malformed``.
  static func parse(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> HTTPResponse? {
    guard let response = try head(bytes), response.body.upperBound <= bytes.count else { return nil }
    return response
  }

  /// Reads a response's head; nil while bytes of it are missing.
  /// - Throws: ``Malformed``.
  static func head(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> HTTPResponse? {
    guard let end = offset(of: "\r\n\r\n", in: bytes) else {
      // A head has some hundred bytes.
      guard bytes.count <= 16_384 else { throw Malformed() }
      return nil
    }
    // Every line with the line source before it. Not split into strings: the server shares the cores with this.
    guard value(of: "http/1.1 ", in: bytes[..<end]) != nil, let status = integer(bytes[..<end].dropFirst(9).prefix(3)),
      (100...599).contains(status)
    else { throw Malformed() }
    var length = status == 204 || status == 304 ? 0 : nil
    var closes = false
    var start = lineEnd(bytes, from: 0, before: end)
    while start < end {
      let next = lineEnd(bytes, from: start + 1, before: end)
      // Both names begin with this letter.
      if start + 1 < next, bytes[start + 1] | 0x20 == UInt8(ascii: "c") {
        let line = bytes[start..<next - (next < end ? 1 : 0)]
        if let value = value(of: "\ncontent-length:", in: line) {
          guard let number = integer(value) else { throw Malformed() }
          length = number
        } else if let value = value(of: "\nconnection:", in: line) {
          closes = value.elementsEqual("close".utf8)
        }
      }
      start = next
    }
    guard let length else { throw Malformed() }
    return HTTPResponse(status: status, body: end + 4..<end + 4 + length, closes: closes)
  }

  /// The offset of the next line source, or the end.
  private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int, before end: Int) -> Int {
    guard start < end, let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, end - start) else {
      return end
    }
    return UnsafeRawPointer(found) - base
  }

  /// The number of occurrences of a text.
  static func count(of text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var rest = bytes
    while let found = offset(of: text, in: rest) {
      count += 1
      rest = UnsafeRawBufferPointer(rebasing: rest[(found + text.utf8CodeUnitCount)...])
    }
    return count
  }

  /// The offset of the first occurrence of a text.
  private static func offset(of text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let length = text.utf8CodeUnitCount
    var place = 0
    while place + length <= bytes.count,
      let found = memchr(base + place, Int32(text.utf8Start[0]), bytes.count - length + 1 - place)
    {
      if memcmp(found, text.utf8Start, length) == 0 { return UnsafeRawPointer(found) - base }
      place = UnsafeRawPointer(found) - base + 1
    }
    return nil
  }

  /// The value of a field; `name` is in lower case, with the line source before and the colon behind.
  private static func value(
    of name: StaticString, in line: Slice<UnsafeRawBufferPointer>
  ) -> Slice<UnsafeRawBufferPointer>? {
    let length = name.utf8CodeUnitCount
    guard line.count >= length else { return nil }
    for (index, byte) in line.prefix(length).enumerated() {
      let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      guard lower == name.utf8Start[index] else { return nil }
    }
    return line.dropFirst(length).drop { $0 == UInt8(ascii: " ") }
  }

  private static func integer(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard (1...9).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }
}
