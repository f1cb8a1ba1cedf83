// SPDX-License-Identifier: Apache-2.0

/// One object in each line: `{"number":33162000248,"label":"…","block":true}`; `label` is omitted if there is none.
///
/// Numbers have at most 15 digits, so 64-bit floating-point numbers represent them exactly.
struct JSONLinesEncoding: RecordEncoding {
  func encode(_ entry: ListEntry, into bytes: inout [UInt8]) -> RecordOutcome {
    bytes.append("{\"number\":")
    bytes.append(String(entry.number))
    if let label = entry.label {
      bytes.append(",\"label\":\"")
      Self.escape(label, into: &bytes)
      bytes.append("\"")
    }
    bytes.append(entry.blocks ? ",\"block\":true}\n" : ",\"block\":false}\n")
    return .written
  }

  /// RFC 8259, section 7: only quotation mark, reverse solidus and U+0000…U+001F are escaped.
  static func escape(_ text: String, into bytes: inout [UInt8]) {
    let hexadecimal = Array("0123456789abcdef".utf8)
    for byte in text.utf8 {
      switch byte {
      case 0x22: bytes.append("\\\"")
      case 0x5C: bytes.append("\\\\")
      case ..<0x20:
        bytes.append("\\u00")
        bytes.append(hexadecimal[Int(byte >> 4)])
        bytes.append(hexadecimal[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }
}
