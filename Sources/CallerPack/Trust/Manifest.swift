// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The content of a publication: the document that makes a set of packs visible.
///
/// A manifest is published in parts, so that a reader of one pack fetches little: the signed ``ManifestHead`` in
/// `manifest.json`, the bins that the head names by digest, and for each pack a description that a bin names by digest.
/// ``parts()`` creates them, and ``ManifestReader`` reads them.
public struct Manifest: Sendable, Equatable {
  /// The version of the form of heads.
  public static let version = 3
  /// The media type of the head in an envelope.
  public static let payloadType = "application/vnd.ringfence.manifest+json"

  /// The serial of the publication, which rises from 1. A serial may be missing: one of an unfinished publication is
  /// not used again.
  public var serial: Int64
  /// The time of the publication, in whole seconds.
  public var issued: Date
  /// The time at which the numbers were scored, in whole seconds. It is before ``issued`` when revocations were made
  /// later.
  public var asOf: Date
  /// The expiry time. After it the manifest is refused, because somebody may be withholding a newer one.
  public var expires: Date
  /// The previous publication; nil for the first.
  public var previous: Link?
  /// The packs, ordered by name; names are unique.
  public var packs: [ManifestPack]

  /// A publication, identified by its serial and its content.
  public struct Link: Codable, Sendable, Hashable {
    /// The serial of the publication.
    public var serial: Int64
    /// SHA-256 of the head, which is the payload of the envelope: 64 lower-case hex digits.
    public var sha256: String

    /// Creates a link to a publication.
    /// - Parameters:
    ///   - serial: the serial of the publication.
    ///   - sha256: 64 lower-case hex digits.
    public init(serial: Int64, sha256: String) {
      self.serial = serial
      self.sha256 = sha256
    }
  }

  /// Creates a manifest. Times are cut to whole seconds, and packs are sorted by name.
  /// - Parameters:
  ///   - serial: from 1.
  ///   - issued: the time of the publication.
  ///   - asOf: the time at which the numbers were scored.
  ///   - expires: the expiry time.
  ///   - previous: the previous publication; nil for the first.
  ///   - packs: the packs, with unique names.
  public init(serial: Int64, issued: Date, asOf: Date, expires: Date, previous: Link?, packs: [ManifestPack]) {
    self.serial = serial
    self.issued = issued.wholeSeconds
    self.asOf = asOf.wholeSeconds
    self.expires = expires.wholeSeconds
    self.previous = previous
    self.packs = packs.sorted { $0.name < $1.name }
  }
}

extension Date {
  /// This time, cut to whole seconds as documents contain them.
  var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}

/// The signed part of a manifest: the payload of `manifest.json`. Its digests cover all other parts.
public struct ManifestHead: Sendable, Equatable {
  /// The most bins that a reader accepts.
  static let maxBins = 4_096

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
    while count < maxBins, packs > count * max(32, count) { count *= 2 }
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

extension ManifestHead {
  /// Checks the rules of a head beyond its types.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check() throws(UpdateError) {
    try rule(serial >= 1, "serial is 1 or more")
    try rule(asOf <= issued && issued < expires, "as_of is not after issued, and issued is before expires")
    if let previous {
      try rule((1..<serial).contains(previous.serial), "previous.serial is 1 or more and less than serial")
      try rule(PackDigest(document: previous.sha256) != nil, "previous.sha256 is 64 lower-case hex digits")
    }
    try rule(
      (1...Self.maxBins).contains(bins.count) && bins.count.nonzeroBitCount == 1,
      "the number of bins is a power of two, at most \(Self.maxBins)")
    try rule(bins.allSatisfy { PackDigest(document: $0) != nil }, "a bin is 64 lower-case hex digits")
  }
}

extension ManifestBin {
  /// Checks the rules of a bin beyond its types.
  /// - Parameter isMember: returns whether a name belongs to this bin.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check(_ isMember: (String) -> Bool) throws(UpdateError) {
    for (name, sha256) in packs {
      try rule(Manifest.isName(name), "the name of a pack is 1 to 64 of a-z 0-9 - _ . and begins with a-z or 0-9")
      try rule(isMember(name), "a pack is in the bin of its name (\(name))")
      try rule(PackDigest(document: sha256) != nil, "a pack's digest is 64 lower-case hex digits (\(name))")
    }
  }
}

extension ManifestPack {
  /// Checks the rules of a description beyond its types, because readers derive paths and memory sizes from it.
  /// - Parameters:
  ///   - expected: the name under which the bin lists the pack.
  ///   - newest: the serial of the head.
  /// - Throws: ``UpdateError/malformed(_:)`` with the field and the rule.
  func check(named expected: String, newest: Int64) throws(UpdateError) {
    try rule(Manifest.isName(name) && name == expected, "a pack has the name that its bin gives it (\(expected))")
    try rule(PackKind(manifestName: kind) != nil, "kind is blocking, identification or both (\(name))")
    try rule((1...max(1, newest)).contains(serial), "a pack's serial is 1 to the manifest's (\(name))")
    try rule((0...PackLimits.entries).contains(entries), "entries are 0 to \(PackLimits.entries) (\(name))")
    try rule((shard ?? 1) >= 1, "shard is 1 or more (\(name))")
    let ends = [first, last].compactMap(\.self)
    try rule(
      ends.count == (entries == 0 ? 0 : 2) && ends == ends.sorted()
        && ends.allSatisfy { (PackLimits.minNumber...PackLimits.maxNumber).contains($0) },
      "first and last are the ends of the entries (\(name))")
    try check(path, bytes, sha256)
    try rule(PackDigest(document: contentSHA256) != nil, "content_sha256 is 64 lower-case hex digits (\(name))")
    for delta in deltas {
      try check(delta.path, delta.bytes, delta.sha256)
      try rule(PackDigest(document: delta.fromSHA256) != nil, "from_sha256 is 64 lower-case hex digits (\(name))")
      try rule(
        delta.fromSerial >= 1 && delta.fromSerial < serial, "from_serial is less than the pack's serial (\(name))")
    }
    for file in formats {
      try check(file.path, file.bytes, file.sha256)
      try rule(Manifest.isName(file.format), "the name of a format is 1 to 64 of a-z 0-9 - _ . (\(name))")
    }
  }

  private func check(_ path: String, _ bytes: Int, _ sha256: String) throws(UpdateError) {
    try rule(Manifest.isPath(path), "a path is relative and stays in its folder (\(name))")
    try rule((0...PackLimits.fileBytes).contains(bytes), "bytes are 0 to \(PackLimits.fileBytes) (\(name))")
    try rule(PackDigest(document: sha256) != nil, "sha256 is 64 lower-case hex digits (\(name))")
  }
}

private func rule(_ holds: Bool, _ text: @autoclosure () -> String) throws(UpdateError) {
  guard holds else { throw .malformed("In the manifest \(text())") }
}

extension Manifest {
  /// Returns whether a name is allowed in a file name.
  public static func isName(_ text: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first else { return false }
    return isPlain(first) && text.utf8.allSatisfy { isPlain($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
      && !text.contains("..")
  }

  /// Returns whether a path is relative, has plain names only and stays inside its folder.
  public static func isPath(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return (1...3).contains(parts.count) && text.utf8.count <= 200
      && parts.allSatisfy { part in
        guard let first = part.utf8.first else { return false }
        return isPlain(first) && part.utf8.allSatisfy { isPlain($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
      }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}

extension PackKind {
  /// Creates a kind from its name in manifests; nil for any other word.
  public init?(manifestName: String) {
    guard let kind = Self.allCases.first(where: { "\($0)" == manifestName }) else { return nil }
    self = kind
  }
}

extension PackDigest {
  /// Creates a digest from the form of documents: lower-case digits only, so that one content has one form.
  init?(document: String) {
    self.init(hex: document)
    guard hex == document else { return nil }
  }
}
