#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a publication consists of: the one file that makes a set of packs visible.
public struct Manifest: Codable, Sendable, Equatable {
  /// One pack of the publication.
  public struct Pack: Codable, Sendable, Equatable {
    /// Name of its recipe.
    public var name: String
    /// `blocking`, `identification` or `both`.
    public var kind: String
    /// Where it lies beside the manifest, such as `packs/toxic-12.rfpack`; never another file under this name.
    public var path: String
    /// Number of entries.
    public var entries: Int
    /// Least number, E.164 digits; nil for an empty pack.
    public var first: Int64?
    /// Greatest number; nil for an empty pack.
    public var last: Int64?
    /// Length in bytes.
    public var bytes: Int
    /// SHA-256 of the file, 64 hex digits.
    public var sha256: String

    /// - Parameters: see the properties.
    public init(
      name: String, kind: String, path: String, entries: Int, first: Int64?, last: Int64?, bytes: Int, sha256: String
    ) {
      self.name = name
      self.kind = kind
      self.path = path
      self.entries = entries
      self.first = first
      self.last = last
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  /// Version of this file's form: 1.
  public var version: Int
  /// Rises by one with every publication, from 1.
  public var serial: Int64
  /// The moment the numbers were weighed at.
  public var issued: Date
  /// From then on a reader should look for a newer one.
  public var expires: Date
  /// SHA-256 of the manifest before this one, 64 hex digits; nil for the first.
  public var previous: String?
  /// In the order of their names.
  public var packs: [Pack]

  /// - Parameters: see the properties.
  public init(serial: Int64, issued: Date, expires: Date, previous: String?, packs: [Pack]) {
    version = 1
    self.serial = serial
    self.issued = issued
    self.expires = expires
    self.previous = previous
    self.packs = packs.sorted { $0.name < $1.name }
  }

  /// The file's bytes: JSON with sorted keys, the same for the same content.
  public func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self) + Data("\n".utf8)
  }

  /// - Parameter data: at most 1 MiB.
  /// - Throws: `ManifestError`, or what the JSON decoder throws.
  public init(decoding data: Data) throws {
    guard data.count <= 1 << 20 else { throw ManifestError.tooLarge(bytes: data.count) }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Manifest.self, from: data)
    guard version == 1 else { throw ManifestError.unknownVersion(version) }
  }
}

/// Why a manifest was refused.
public enum ManifestError: Error, Equatable, CustomStringConvertible {
  /// Longer than 1 MiB.
  case tooLarge(bytes: Int)
  /// Made by a later version.
  case unknownVersion(Int)

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .tooLarge(let bytes): "The manifest has \(bytes) bytes; at most 1048576 are read."
    case .unknownVersion(let version): "The manifest is of version \(version); this reader knows version 1. Update it."
    }
  }
}
