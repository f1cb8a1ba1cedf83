import Crypto
import Foundation

/// Turns what an app calls its user, and the address a request comes from, into something that says the same about two
/// reports and nothing about either.
///
/// HMAC-SHA-256, cut short. Without the key nobody can try names or addresses against it.
///
/// There is one key. To rotate it, stop the server, replace the key and start again. What is lost: pseudonyms before
/// and after cannot be told to be the same, so every reporter can count once more for a number, a changed mind no
/// longer replaces a word from before, a report that is sent again across the change is answered as a conflict (it is
/// kept and counted once), and limits by reporter and network begin anew. What is won: whoever has the old key can no
/// longer tell who new reports are from.
public struct Pseudonymizer: Sendable {
  /// Has taken in the key and nothing else: what a key costs is paid once.
  private let keyed: Keyed

  /// - Parameter key: 32 bytes; kept as long as reporters shall count once.
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
  /// - Returns: 8 bytes; nil for what is no address, such as a Unix socket's path.
  public func network(of address: String) -> [UInt8]? {
    NetworkPrefix(address).map { hash($0.bytes, as: "network") }
  }

  /// The greater part of the net that an address lies in: /16 of IPv4, /32 of IPv6.
  /// - Parameter address: as above.
  /// - Returns: 8 bytes; nil for what is no address.
  public func area(of address: String) -> [UInt8]? {
    NetworkPrefix(address).map { hash($0.area, as: "area") }
  }

  private func hash(_ bytes: [UInt8], as kind: String) -> [UInt8] {
    var code = keyed.code
    // A reporter's message begins with an app's id, which is never -1: no reporter has a network's hash.
    code.update(data: withUnsafeBytes(of: Int32(-1).littleEndian) { Data($0) })
    code.update(data: Data(kind.utf8))
    code.update(data: bytes)
    return Array(code.finalize().prefix(8))
  }

  /// A secret of its own for another purpose, which says nothing of the key: what servers share that share the key.
  /// - Returns: 32 bytes.
  public func secret(for purpose: String) -> [UInt8] {
    var code = keyed.code
    // Like a network's: no reporter's message begins so.
    code.update(data: withUnsafeBytes(of: Int32(-1).littleEndian) { Data($0) })
    code.update(data: Data("secret for \(purpose)".utf8))
    return Array(code.finalize())
  }

  /// A value that is copied and never changed. Nothing in HMAC is shared between copies, which it does not promise by
  /// a conformance.
  private struct Keyed: @unchecked Sendable {
    let code: HMAC<SHA256>
  }
}
