#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Who may sign: the keys of an installation at one time.
///
/// Each new root is signed by a key of the one before and by its own, so that whoever trusts one can follow to the
/// newest. All of them are kept, as `roots/1.root.json` and so on; `root.json` is a copy of the newest.
public struct Root: Sendable, Equatable {
  /// The version of this document's form.
  public static let formVersion = 1
  /// What an envelope says it holds.
  public static let payloadType = "application/vnd.ringfence.root+json"

  /// Rises by one with every change of keys, from 1.
  public var serial: Int
  /// When it was made.
  public var issued: Date
  /// From then on the newest root is not to be trusted any more; one on the way to it may be older.
  public var expires: Date
  /// How many of the keys must sign: at least 1, at most all.
  public var threshold: Int
  /// 1 to 16 different keys.
  public var keys: [VerifyingKey]

  /// - Parameters: see the properties; times are cut to whole seconds.
  public init(serial: Int, issued: Date, expires: Date, threshold: Int = 1, keys: [VerifyingKey]) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.expires = expires.wholeSeconds
    self.threshold = threshold
    self.keys = keys
  }

  /// Where the root of a serial lies, relative to the manifest's folder.
  public static func path(serial: Int) -> String { "roots/\(serial).root.json" }

  /// The bytes that are signed.
  public func encoded() throws -> [UInt8] { try CanonicalJSON.encode(self) }

  /// Reads a root and checks its rules; says nothing of who made it.
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

  /// Writes the type and the version with the rest.
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

  /// Reads the fields; a key of another algorithm, or under an id that is not its own, is refused.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    serial = try fields.decode(Int.self, forKey: .serial)
    issued = try fields.decode(Date.self, forKey: .issued)
    expires = try fields.decode(Date.self, forKey: .expires)
    threshold = try fields.decode(Int.self, forKey: .threshold)
    keys = try fields.decode([Key].self, forKey: .keys).map { key in
      guard key.algorithm == "ed25519", let verifying = VerifyingKey(key.public), verifying.id == key.keyid else {
        throw DecodingError.dataCorruptedError(forKey: .keys, in: fields, debugDescription: "no Ed25519 key")
      }
      return verifying
    }
  }
}
