// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Replaces an app's name for its user, and the address of a request, by values that are equal for equal inputs and
/// reveal nothing about them.
///
/// Truncated HMAC-SHA-256. Without the key it is impossible to test names or addresses.
///
/// There is one key. To rotate it, stop the server, replace the key and start again. Consequences: pseudonyms before
/// and after do not match, so every reporter can count once more for a number, a newer report no longer replaces an
/// earlier vote, a report that is sent again across the rotation is answered as a conflict (it is stored and counted
/// once), and limits by reporter and network restart. Benefit: the old key no longer identifies the reporters of new
/// reports.
public struct Pseudonymizer: Sendable {
  /// The HMAC after the key setup, whose cost is paid once.
  private let keyed: Keyed

  /// - Parameter key: 32 bytes; must not change while reporters shall count once.
  public init(key: [UInt8]) {
    precondition(key.count == 32)
    keyed = Keyed(code: HMAC<SHA256>(key: SymmetricKey(data: key)))
  }

  /// - Parameter reporter: the app's own name for its user.
  /// - Returns: 16 bytes.
  public func pseudonym(of reporter: String, appID: Int32) -> [UInt8] {
    var code = keyed.code
    withUnsafeBytes(of: appID.littleEndian) { code.update(data: $0) }
    var reporter = reporter
    reporter.withUTF8 { code.update(data: UnsafeRawBufferPointer($0)) }
    return code.finalize().withUnsafeBytes { Array($0.prefix(16)) }
  }

  /// The network an address belongs to: /24 of IPv4, /48 of IPv6; IPv4 within IPv6 (::ffff:0:0/96) counts as IPv4.
  /// - Parameter address: `192.0.2.7`, `2001:db8::7`, with or without a zone (`fe80::1%eth0`).
  /// - Returns: 8 bytes; nil for a text that is not an address, such as a Unix socket's path.
  public func network(of address: String) -> [UInt8]? {
    NetworkPrefix(address).map { hash($0.bytes, as: "network") }
  }

  /// The larger block that contains an address: /16 of IPv4, /32 of IPv6.
  /// - Parameter address: as above.
  /// - Returns: 8 bytes; nil for a text that is not an address.
  public func area(of address: String) -> [UInt8]? {
    NetworkPrefix(address).map { hash($0.area, as: "area") }
  }

  private func hash(_ bytes: [UInt8], as kind: String) -> [UInt8] {
    var code = keyed.code
    // A reporter's message begins with an app's id, which is never -1, so no reporter has a network's hash.
    code.update(data: withUnsafeBytes(of: Int32(-1).littleEndian) { Data($0) })
    code.update(data: Data(kind.utf8))
    code.update(data: bytes)
    return Array(code.finalize().prefix(8))
  }

  /// A separate secret for another purpose, which reveals nothing about the key: servers that share the key share the
  /// secret.
  /// - Returns: 32 bytes.
  public func secret(for purpose: String) -> [UInt8] {
    var code = keyed.code
    // As for networks: no reporter's message begins like this.
    code.update(data: withUnsafeBytes(of: Int32(-1).littleEndian) { Data($0) })
    code.update(data: Data("secret for \(purpose)".utf8))
    return Array(code.finalize())
  }

  /// A copied and immutable value. Copies of an HMAC share no state, but it does not declare `Sendable`.
  private struct Keyed: @unchecked Sendable {
    let code: HMAC<SHA256>
  }
}

/// The part of an address that its user cannot change at will: three bytes of IPv4, six of IPv6.
struct NetworkPrefix {
  let bytes: [UInt8]

  /// The prefix that many networks of one owner share: two bytes of IPv4, four of IPv6.
  var area: [UInt8] { Array(bytes.prefix(bytes.count == 3 ? 2 : 4)) }

  init?(_ address: String) {
    let host = address.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
    guard let host else { return nil }
    if let bytes = Self.parse(host, AF_INET, count: 4) {
      self.bytes = Array(bytes.prefix(3))
      return
    }
    guard let bytes = Self.parse(host, AF_INET6, count: 16) else { return nil }
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.bytes = isMapped ? Array(bytes[12..<15]) : Array(bytes.prefix(6))
  }

  private static func parse(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
