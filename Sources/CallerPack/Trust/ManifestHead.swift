// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The signed part of a manifest: the payload of `manifest.json`. Its digests cover all other parts.
public struct ManifestHead: Sendable, Equatable {
  /// The most bins that a reader accepts.
  static let mostBins = 4_096

  /// The serial; see ``Manifest/serial``.
  public var serial: Int64
  /// The time of the publication; see ``Manifest/issued``.
  public var issued: Date
  /// The time of the scores; see ``Manifest/asOf``.
  public var asOf: Date
  /// The expiry time; see ``Manifest/expires``.
  public var expires: Date
  /// The previous publication; see ``Manifest/previous``.
  public var previous: Manifest.Link?
  /// SHA-256 of each bin, as 64 lower-case hex digits. The number of bins is a power of two.
  public var bins: [String]

  /// Creates a head. Times are cut to whole seconds.
  /// - Parameters:
  ///   - serial: from 1.
  ///   - issued: the time of the publication.
  ///   - asOf: the time at which the numbers were scored.
  ///   - expires: the expiry time.
  ///   - previous: the previous publication; nil for the first.
  ///   - bins: SHA-256 of each bin.
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

  /// Returns the bytes that are signed; the same content gives the same bytes.
  public func encoded() throws -> [UInt8] { try CanonicalJSON.encode(self) }

  /// Reads a head and checks its rules, but no signature.
  /// - Parameter bytes: the payload of an envelope.
  /// - Throws: ``UpdateError`` with `malformed` or `unsupported`.
  public init(decoding bytes: [UInt8]) throws(UpdateError) {
    self = try CanonicalJSON.decode(ManifestHead.self, from: bytes, type: "manifest", version: Manifest.version)
    try check()
  }

  /// Returns the number of bins for a number of packs. The head and one bin together stay short; up to 32 packs share
  /// one bin.
  static func binCount(packs: Int) -> Int {
    var count = 1
    while count < mostBins, packs > count * max(32, count) { count *= 2 }
    return count
  }

  /// Returns the bin of a pack with this name: the first bits of the name's SHA-256.
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

  /// Encodes the type, the version and all fields.
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

  /// Decodes the fields without checking them.
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
