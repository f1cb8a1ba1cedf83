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
  /// The same entries in other formats, ordered by name.
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
