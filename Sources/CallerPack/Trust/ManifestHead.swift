#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The signed part of a manifest: the payload of `manifest.json`. It covers all other parts by their digests.
public struct ManifestHead: Sendable, Equatable {
  /// The most bins that a reader takes.
  static let mostBins = 4_096

  /// See ``Manifest/serial``.
  public var serial: Int64
  /// See ``Manifest/issued``.
  public var issued: Date
  /// See ``Manifest/asOf``.
  public var asOf: Date
  /// See ``Manifest/expires``.
  public var expires: Date
  /// See ``Manifest/previous``.
  public var previous: Manifest.Link?
  /// SHA-256 of each bin, as 64 lower-case hex digits. Their number is a power of two.
  public var bins: [String]

  /// - Parameters: see the properties; times are cut to whole seconds.
  public init(
    serial: Int64, issued: Date, asOf: Date, expires: Date, previous: Manifest.Link?, bins: [String]
  ) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.asOf = asOf.wholeSeconds
    self.expires = expires.wholeSeconds
    self.previous = previous
    self.bins = bins
  }

  /// The bytes that are signed: the same for the same content.
  public func encoded() throws -> [UInt8] { try CanonicalJSON.encode(self) }

  /// Reads a head and checks its rules; says nothing of who made it.
  /// - Parameter bytes: an envelope's payload.
  /// - Throws: ``UpdateError`` with `malformed` or `unsupported`.
  public init(decoding bytes: [UInt8]) throws(UpdateError) {
    self = try CanonicalJSON.decode(ManifestHead.self, from: bytes, type: "manifest", version: Manifest.version)
    try check()
  }

  /// The number of bins for so many packs: the head and one bin together stay short, up to 32 packs share one bin.
  static func binCount(packs: Int) -> Int {
    var count = 1
    while count < mostBins, packs > count * max(32, count) { count *= 2 }
    return count
  }

  /// The bin that a pack of this name is in: the first bits of the name's SHA-256.
  static func bin(of name: String, count: Int) -> Int {
    let start = PackDigest.of(Array(name.utf8)).bytes.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(start >> UInt64(32 - count.trailingZeroBitCount))
  }
}

extension ManifestHead: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, version, serial, issued, expires, previous, bins
    case asOf = "as_of"
  }

  /// Writes the type and the version with the rest.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode("manifest", forKey: .type)
    try fields.encode(Manifest.version, forKey: .version)
    try fields.encode(serial, forKey: .serial)
    try fields.encode(issued, forKey: .issued)
    try fields.encode(asOf, forKey: .asOf)
    try fields.encode(expires, forKey: .expires)
    try fields.encodeIfPresent(previous, forKey: .previous)
    try fields.encode(bins, forKey: .bins)
  }

  /// Reads the fields without checking them.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    serial = try fields.decode(Int64.self, forKey: .serial)
    issued = try fields.decode(Date.self, forKey: .issued)
    asOf = try fields.decode(Date.self, forKey: .asOf)
    expires = try fields.decode(Date.self, forKey: .expires)
    previous = try fields.decodeIfPresent(Manifest.Link.self, forKey: .previous)
    bins = try fields.decode([String].self, forKey: .bins)
  }
}
