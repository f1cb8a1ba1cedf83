#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a publication consists of: the one document that makes a set of packs visible.
///
/// It travels signed, in an ``Envelope`` that is the file `manifest.json`; see ``TrustStore`` for checking one.
public struct Manifest: Sendable, Equatable {
  /// The version of this document's form.
  public static let version = 2
  /// What an envelope says it holds.
  public static let payloadType = "application/vnd.ringfence.manifest+json"

  /// Rises with every publication, from 1. Serials may be skipped: one that was begun and not finished is never used.
  public var serial: Int64
  /// When it was made, whole seconds. For a publication of the night the moment that the numbers were weighed at.
  public var issued: Date
  /// The moment that the numbers were weighed at, whole seconds; before `issued` when single numbers were taken out
  /// later.
  public var asOf: Date
  /// From then on it is not to be trusted any more: somebody may be withholding newer ones.
  public var expires: Date
  /// The publication before this one; nil for the first.
  public var previous: Link?
  /// In the order of their names, which are unique.
  public var packs: [ManifestPack]

  /// A publication by its serial and its content.
  public struct Link: Codable, Sendable, Hashable {
    /// Its serial.
    public var serial: Int64
    /// SHA-256 of its manifest, which is the payload of the envelope: 64 lower-case hex digits.
    public var sha256: String

    /// - Parameters: see the properties.
    public init(serial: Int64, sha256: String) {
      self.serial = serial
      self.sha256 = sha256
    }
  }

  /// - Parameters: see the properties; times are cut to whole seconds, packs are put in order.
  public init(serial: Int64, issued: Date, asOf: Date, expires: Date, previous: Link?, packs: [ManifestPack]) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.asOf = asOf.wholeSeconds
    self.expires = expires.wholeSeconds
    self.previous = previous
    self.packs = packs.sorted { $0.name < $1.name }
  }

  /// The bytes that are signed: JSON with sorted keys, the same for the same content.
  public func encoded() throws -> [UInt8] {
    try CanonicalJSON.encode(self)
  }

  /// Reads a manifest and checks its rules; says nothing of who made it.
  /// - Parameter bytes: an envelope's payload.
  /// - Throws: ``UpdateError`` with `malformed` or `unsupported`.
  public init(decoding bytes: [UInt8]) throws(UpdateError) {
    self = try CanonicalJSON.decode(Manifest.self, from: bytes, type: "manifest", version: Manifest.version)
    try check()
  }
}

extension Manifest: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, version, serial, issued, expires, previous, packs
    case asOf = "as_of"
  }

  /// Writes the type and the version with the rest.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode("manifest", forKey: .type)
    try fields.encode(Self.version, forKey: .version)
    try fields.encode(serial, forKey: .serial)
    try fields.encode(issued, forKey: .issued)
    try fields.encode(asOf, forKey: .asOf)
    try fields.encode(expires, forKey: .expires)
    try fields.encodeIfPresent(previous, forKey: .previous)
    try fields.encode(packs, forKey: .packs)
  }

  /// Reads the fields without checking them.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    serial = try fields.decode(Int64.self, forKey: .serial)
    issued = try fields.decode(Date.self, forKey: .issued)
    asOf = try fields.decode(Date.self, forKey: .asOf)
    expires = try fields.decode(Date.self, forKey: .expires)
    previous = try fields.decodeIfPresent(Link.self, forKey: .previous)
    packs = try fields.decode([ManifestPack].self, forKey: .packs)
  }
}

extension Date {
  /// What a time of whole seconds, as documents have it, makes of this one.
  var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
