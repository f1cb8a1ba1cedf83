// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// A value that has another form than is asked for.
struct UnexpectedASN1: Error {}

extension ASN1Node {
  /// The members of a sequence, a set or a value with an explicit tag.
  func members(_ identifier: ASN1Identifier) throws -> [ASN1Node] {
    guard self.identifier == identifier, case .constructed(let content) = content else { throw UnexpectedASN1() }
    return Array(content)
  }

  func octets() throws -> [UInt8] { Array(try content(of: .octetString)) }

  /// An integer of at most four bytes.
  func integer(_ identifier: ASN1Identifier) throws -> Int {
    let bytes = try content(of: identifier)
    guard (1...4).contains(bytes.count) else { throw UnexpectedASN1() }
    return bytes.dropFirst().reduce(Int(Int8(bitPattern: bytes[bytes.startIndex]))) { $0 << 8 | Int($1) }
  }

  /// A boolean: real phones write 1 for true, which DER does not allow.
  func flag() throws -> Bool {
    let bytes = try content(of: .boolean)
    guard bytes.count == 1 else { throw UnexpectedASN1() }
    return bytes[bytes.startIndex] != 0
  }

  /// The bytes of a value without members.
  func content(of identifier: ASN1Identifier) throws -> ArraySlice<UInt8> {
    guard self.identifier == identifier, case .primitive(let bytes) = content else { throw UnexpectedASN1() }
    return bytes
  }
}
