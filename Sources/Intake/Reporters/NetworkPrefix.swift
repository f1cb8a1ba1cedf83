// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
