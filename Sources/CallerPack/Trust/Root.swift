// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The keys that may sign publications, from one point in time on.
///
/// Each new root is signed by keys of the previous root and by its own, so that a client that trusts one can follow to
/// the newest. All roots are kept as `roots/1.root.json` and so on; `root.json` is a copy of the newest.
public struct Root: Sendable, Equatable {
  /// The version of the form of roots.
  public static let formVersion = 1
  /// The media type of a root in an envelope.
  public static let payloadType = "application/vnd.ringfence.root+json"

  /// The serial of the root. It rises by one with every change of keys, from 1.
  public var serial: Int
  /// The time at which the root was made.
  public var issued: Date
  /// The expiry time of the newest root. An older root on the way to it may have expired.
  public var expires: Date
  /// The number of keys that must sign: at least 1, at most all.
  public var threshold: Int
  /// The keys: 1 to 16, all different.
  public var keys: [VerifyingKey]

  /// Creates a root. Times are cut to whole seconds.
  /// - Parameters:
  ///   - serial: from 1.
  ///   - issued: the time at which the root is made.
  ///   - expires: the expiry time.
  ///   - threshold: the number of keys that must sign.
  ///   - keys: 1 to 16 different keys.
  public init(serial: Int, issued: Date, expires: Date, threshold: Int = 1, keys: [VerifyingKey]) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.expires = expires.wholeSeconds
    self.threshold = threshold
    self.keys = keys
  }

  /// Returns the path of the root with a serial, relative to the manifest's folder.
  public static func path(serial: Int) -> String { "roots/\(serial).root.json" }

  /// Returns the id of the server with a first root: 16 hex digits, which a change of keys leaves as they are.
  /// - Parameter digest: the digest of the file of root 1.
  package static func serverID(ofFirst digest: PackDigest) -> String { String(digest.hex.prefix(16)) }

  /// Returns the bytes that are signed.
  /// - Throws: errors of `JSONEncoder`.
  public func encoded() throws -> [UInt8] { try CanonicalJSON.encode(self) }

  /// Reads a root and checks its rules, but no signature.
  /// - Parameter bytes: the payload of an envelope.
  /// - Throws: ``UpdateError`` with `malformed` or `unsupported`.
  public init(decoding bytes: [UInt8]) throws(UpdateError) {
    self = try CanonicalJSON.decode(Root.self, from: bytes, type: "root", version: Root.formVersion)
    guard serial >= 1, issued < expires, (1...16).contains(keys.count), Set(keys).count == keys.count,
      (1...keys.count).contains(threshold)
    else { throw .malformed("The root has 1 to 16 different keys, a threshold within them, and a time to expire") }
  }
}

extension Root: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, version, serial, issued, expires, threshold, keys
  }

  private struct Key: Codable {
    let algorithm: String
    let keyid: String
    let `public`: String
  }

  /// Encodes the type, the version and all fields.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode("root", forKey: .type)
    try fields.encode(Self.formVersion, forKey: .version)
    try fields.encode(serial, forKey: .serial)
    try fields.encode(issued, forKey: .issued)
    try fields.encode(expires, forKey: .expires)
    try fields.encode(threshold, forKey: .threshold)
    try fields.encode(keys.map { Key(algorithm: "ed25519", keyid: $0.id, public: $0.base64) }, forKey: .keys)
  }

  /// Decodes the fields; refuses a key of another algorithm, and a key with an id that is not its own.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    serial = try fields.decode(Int.self, forKey: .serial)
    issued = try fields.decode(Date.self, forKey: .issued)
    expires = try fields.decode(Date.self, forKey: .expires)
    threshold = try fields.decode(Int.self, forKey: .threshold)
    keys = try fields.decode([Key].self, forKey: .keys).map { key in
      guard key.algorithm == "ed25519", let verifying = VerifyingKey(key.public), verifying.id == key.keyid,
        verifying.base64 == key.public, verifying.isProper
      else {
        throw DecodingError.dataCorruptedError(forKey: .keys, in: fields, debugDescription: "no Ed25519 key")
      }
      return verifying
    }
  }
}
