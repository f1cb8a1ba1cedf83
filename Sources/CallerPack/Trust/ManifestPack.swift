/// One pack of a publication, with the ways to get it: a manifest's description of it.
public struct ManifestPack: Codable, Sendable, Equatable {
  /// What names it from night to night, such as `toxic`, `directory-us-212` or `blocklist.2`: lower-case letters,
  /// digits, `-`, `_` and `.`, at most 64, the first a letter or digit.
  public var name: String
  /// `blocking`, `identification` or `both`.
  public var kind: String
  /// The region of its numbers; nil for all.
  public var region: String?
  /// Which part of a list that is too long for one extension, from 1; nil for a list in one piece.
  public var shard: Int?
  /// The publication that wrote the file: an earlier one where nothing has changed since.
  public var serial: Int64
  /// Number of entries.
  public var entries: Int
  /// Least number, E.164 digits; nil for an empty pack.
  public var first: Int64?
  /// Greatest number; nil for an empty pack.
  public var last: Int64?
  /// Length of the file in bytes.
  public var bytes: Int
  /// SHA-256 of the file: 64 lower-case hex digits.
  public var sha256: String
  /// SHA-256 of the entries, however they are packed; see ``PackReader/contentDigest()``.
  public var contentSHA256: String
  /// Where the file lies, relative to the manifest's folder; never another file under this path.
  public var path: String
  /// What turns an earlier file of this name into this one, newest base first.
  public var deltas: [Delta]
  /// The same entries in other formats, in the order of their names.
  public var formats: [File]

  /// A way from an earlier file.
  public struct Delta: Codable, Sendable, Equatable {
    /// Serial of the file that it starts from.
    public var fromSerial: Int64
    /// SHA-256 of the file that it starts from.
    public var fromSHA256: String
    /// Length in bytes.
    public var bytes: Int
    /// SHA-256 of the delta.
    public var sha256: String
    /// Where it lies, relative to the manifest's folder.
    public var path: String

    private enum CodingKeys: String, CodingKey {
      case bytes, sha256, path
      case fromSerial = "from_serial"
      case fromSHA256 = "from_sha256"
    }

    /// - Parameters: see the properties.
    public init(fromSerial: Int64, fromSHA256: String, bytes: Int, sha256: String, path: String) {
      self.fromSerial = fromSerial
      self.fromSHA256 = fromSHA256
      self.bytes = bytes
      self.sha256 = sha256
      self.path = path
    }
  }

  /// The entries in another format.
  public struct File: Codable, Sendable, Equatable {
    /// Name of the format, such as `csv`.
    public var format: String
    /// Length in bytes.
    public var bytes: Int
    /// SHA-256 of the file.
    public var sha256: String
    /// Where it lies, relative to the manifest's folder.
    public var path: String

    /// - Parameters: see the properties.
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

  /// - Parameters: see the properties.
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
