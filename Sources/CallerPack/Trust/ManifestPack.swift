// SPDX-License-Identifier: Apache-2.0

/// A manifest's description of one pack: its content, its file and the deltas that lead to it.
public struct ManifestPack: Codable, Sendable, Equatable {
  /// The name, which stays the same in all publications, such as `toxic`, `directory-us-212` or `blocklist.2`:
  /// lower-case letters, digits, `-`, `_` and `.`, at most 64, the first a letter or digit.
  public var name: String
  /// The kind: `blocking`, `identification` or `both`.
  public var kind: String
  /// The region of its numbers; nil for all regions.
  public var region: String?
  /// The part of a list that is too long for one extension, from 1; nil for a list in one part.
  public var shard: Int?
  /// The serial of the publication that wrote the file: an earlier one when the entries did not change since.
  public var serial: Int64
  /// The number of entries.
  public var entries: Int
  /// The least number, E.164 digits; nil for an empty pack.
  public var first: Int64?
  /// The greatest number; nil for an empty pack.
  public var last: Int64?
  /// Size of the file in bytes.
  public var bytes: Int
  /// SHA-256 of the file: 64 lower-case hex digits.
  public var sha256: String
  /// SHA-256 of the entries, independent of their coding; see ``PackReader/contentDigest()``.
  public var contentSHA256: String
  /// The path of the file, relative to the manifest's folder. A path never gets another content.
  public var path: String
  /// The deltas from earlier files of this name, newest base first.
  public var deltas: [Delta]
  /// The entries of the pack in other formats, ordered by name.
  public var formats: [File]

  /// A delta from an earlier file of the pack.
  public struct Delta: Codable, Sendable, Equatable {
    /// The serial of the base.
    public var fromSerial: Int64
    /// SHA-256 of the base.
    public var fromSHA256: String
    /// Size of the delta in bytes.
    public var bytes: Int
    /// SHA-256 of the delta.
    public var sha256: String
    /// The path of the delta, relative to the manifest's folder.
    public var path: String

    private enum CodingKeys: String, CodingKey {
      case bytes, sha256, path
      case fromSerial = "from_serial"
      case fromSHA256 = "from_sha256"
    }

    /// Creates a description of a delta.
    /// - Parameters:
    ///   - fromSerial: the serial of the base.
    ///   - fromSHA256: SHA-256 of the base, 64 lower-case hex digits.
    ///   - bytes: size of the delta in bytes.
    ///   - sha256: SHA-256 of the delta.
    ///   - path: relative to the manifest's folder.
    public init(fromSerial: Int64, fromSHA256: String, bytes: Int, sha256: String, path: String) {
      self.fromSerial = fromSerial
      self.fromSHA256 = fromSHA256
      self.bytes = bytes
      self.sha256 = sha256
      self.path = path
    }
  }

  /// The entries of the pack in another format.
  public struct File: Codable, Sendable, Equatable {
    /// The name of the format, such as `csv`.
    public var format: String
    /// Size of the file in bytes.
    public var bytes: Int
    /// SHA-256 of the file.
    public var sha256: String
    /// The path of the file, relative to the manifest's folder.
    public var path: String

    /// Creates a description of a file.
    /// - Parameters:
    ///   - format: such as `csv`.
    ///   - bytes: size of the file in bytes.
    ///   - sha256: 64 lower-case hex digits.
    ///   - path: relative to the manifest's folder.
    public init(format: String, bytes: Int, sha256: String, path: String) {
      self.format = format
      self.bytes = bytes
      self.sha256 = sha256
      self.path = path
    }
  }

  private enum CodingKeys: String, CodingKey {
    case name, kind, region, shard, serial, entries, first, last, bytes, sha256, path, deltas, formats
    case contentSHA256 = "content_sha256"
  }

  /// Creates a description of a pack; each parameter sets the property of its name.
  public init(
    name: String, kind: String, region: String? = nil, shard: Int? = nil, serial: Int64, entries: Int, first: Int64?,
    last: Int64?, bytes: Int, sha256: String, contentSHA256: String, path: String, deltas: [Delta] = [],
    formats: [File] = []
  ) {
    self.name = name
    self.kind = kind
    self.region = region
    self.shard = shard
    self.serial = serial
    self.entries = entries
    self.first = first
    self.last = last
    self.bytes = bytes
    self.sha256 = sha256
    self.contentSHA256 = contentSHA256
    self.path = path
    self.deltas = deltas
    self.formats = formats
  }
}

/// A file of a manifest other than its head, named by the digest of its content.
public struct ManifestPart: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case bin(Int)
    case description(String)
  }

  /// Size of the longest part that is read, in bytes.
  public static let limit = CanonicalJSON.limit

  let kind: Kind
  /// SHA-256 of the file: 64 lower-case hex digits.
  public let sha256: String

  /// The path of the file, relative to the manifest's folder. A path never gets another content.
  public var path: String {
    switch kind {
    case .bin: "bins/\(sha256).json"
    case .description: "descriptions/\(sha256).json"
    }
  }
}

/// Names of packs that share their first bits of SHA-256, each with the digest of its description.
struct ManifestBin: Codable, Sendable, Equatable {
  static let version = 1

  private(set) var type = "bin"
  private(set) var version = Self.version
  /// SHA-256 of each pack's description, by the pack's name.
  var packs: [String: String]

  init(packs: [String: String]) {
    self.packs = packs
  }
}

/// The content of a file that describes a pack.
private struct PackDescription: Encodable {
  static let version = 1
  static let type = "pack"

  let pack: ManifestPack

  private enum CodingKeys: String, CodingKey {
    case type, version
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(Self.type, forKey: .type)
    try fields.encode(Self.version, forKey: .version)
    try pack.encode(to: encoder)
  }
}

extension Manifest {
  /// Returns the signed part of this manifest and the files that it covers.
  /// - Throws: errors of `JSONEncoder`.
  public func parts() throws -> (head: ManifestHead, files: [(part: ManifestPart, bytes: [UInt8])]) {
    var files: [(part: ManifestPart, bytes: [UInt8])] = []
    func add(_ kind: ManifestPart.Kind, _ bytes: [UInt8]) -> String {
      let digest = PackDigest.of(bytes).hex
      files.append((ManifestPart(kind: kind, sha256: digest), bytes))
      return digest
    }
    let count = ManifestHead.binCount(packs: packs.count)
    var bins = Array(repeating: ManifestBin(packs: [:]), count: count)
    for pack in packs {
      let digest = add(.description(pack.name), try CanonicalJSON.encode(PackDescription(pack: pack)))
      bins[ManifestHead.bin(of: pack.name, count: count)].packs[pack.name] = digest
    }
    let digests = try bins.enumerated().map { add(.bin($0.offset), try CanonicalJSON.encode($0.element)) }
    let head = ManifestHead(
      serial: serial, issued: issued, asOf: asOf, expires: expires, previous: previous, bins: digests)
    return (head, files)
  }
}

/// Reads the parts of a manifest that the wanted packs need. The reader does no I/O: the caller fetches the parts.
///
/// ```swift
/// var reader = ManifestReader(verified.head, wanted: ["toxic"])
/// while let part = reader.missing.first {
///   try reader.add(try await fetch(part.path), as: part)
/// }
/// let manifest = reader.manifest
/// ```
public struct ManifestReader: Sendable {
  private let head: ManifestHead
  private let wanted: Set<String>?
  private var packs: [ManifestPack] = []
  /// The parts to fetch next: first bins, then the descriptions that they name.
  public private(set) var missing: [ManifestPart]
  /// Every part that was needed so far.
  public private(set) var named: [ManifestPart]

  /// Creates a reader.
  /// - Parameters:
  ///   - head: the head of a verified manifest.
  ///   - wanted: names of packs; nil for all.
  public init(_ head: ManifestHead, wanted: Set<String>? = nil) {
    self.head = head
    self.wanted = wanted
    let indices = wanted.map { Set($0.map { ManifestHead.bin(of: $0, count: head.bins.count) }).sorted() }
    missing = (indices ?? Array(head.bins.indices)).map { ManifestPart(kind: .bin($0), sha256: head.bins[$0]) }
    named = missing
  }

  /// Checks a part and adds its content.
  /// - Parameters:
  ///   - bytes: the complete file.
  ///   - part: an element of ``missing``; any other part is ignored.
  /// - Throws: ``UpdateError``: `wrongFile` for another content, `malformed`, `noSuchPack`.
  public mutating func add(_ bytes: [UInt8], as part: ManifestPart) throws(UpdateError) {
    guard let place = missing.firstIndex(of: part) else { return }
    let digest = PackDigest.of(bytes).hex
    guard digest == part.sha256 else {
      throw .wrongFile(path: part.path, expected: "SHA-256 \(part.sha256)", got: digest)
    }
    switch part.kind {
    case .bin(let index):
      let count = head.bins.count
      let bin = try CanonicalJSON.decode(ManifestBin.self, from: bytes, type: "bin", version: ManifestBin.version)
      try bin.check { ManifestHead.bin(of: $0, count: count) == index }
      let names = wanted?.filter { ManifestHead.bin(of: $0, count: count) == index } ?? Set(bin.packs.keys)
      missing.remove(at: place)
      for name in names.sorted() {
        guard let sha256 = bin.packs[name] else { throw .noSuchPack(name) }
        let description = ManifestPart(kind: .description(name), sha256: sha256)
        missing.append(description)
        named.append(description)
      }
    case .description(let name):
      let pack = try CanonicalJSON.decode(
        ManifestPack.self, from: bytes, type: PackDescription.type, version: PackDescription.version)
      try pack.check(named: name, newest: head.serial)
      missing.remove(at: place)
      packs.append(pack)
    }
  }

  /// The manifest with the wanted packs; complete when ``missing`` is empty.
  public var manifest: Manifest {
    Manifest(
      serial: head.serial, issued: head.issued, asOf: head.asOf, expires: head.expires, previous: head.previous,
      packs: packs)
  }
}
