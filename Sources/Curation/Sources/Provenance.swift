// SPDX-License-Identifier: Apache-2.0

/// The first line of an evidence file, which tells other servers why numbers of a pack are listed.
///
/// The file is JSON Lines, compressed with gzip: this header, then one ``ProvenanceRow`` a line in ascending order of
/// numbers. The signed manifest contains its digest.
public struct ProvenanceHeader: Sendable, Equatable, Codable {
  /// The name of the format in manifests and file names.
  public static let format = "evidence"
  public static let version = 1

  /// ``version``.
  public var evidence: Int
  /// The id of the server that published the file: 16 lower-case hex digits.
  public var server: String
  /// The number of rows.
  public var entries: Int

  public init(server: String, entries: Int) {
    evidence = Self.version
    self.server = server
    self.entries = entries
  }
}

/// Why a server lists a number: without reporters, and without counts below the first of ``strengths``.
public struct ProvenanceRow: Sendable, Equatable, Codable {
  /// The steps of ``strength``: numbers of distinct reporters.
  public static let strengths = [5, 10, 20, 50, 100, 200, 500, 1_000]

  /// E.164 digits; of a rule for a range, the first number.
  public var number: Int64
  /// The last number of a range that a rule lists; nil for a single number.
  public var last: Int64?
  /// The slug of a category.
  public var category: String
  /// `block` or `identify`.
  public var treatment: String
  /// The greatest of ``strengths`` that the number of distinct reporters reaches; nil for fewer reporters.
  public var strength: Int?
  /// The UTC day of the last complaint, such as `2026-11-20`; nil where it is not known.
  public var lastDay: String?
  /// The ids of the servers with evidence of their own, ascending: reports, a decision or a list that is not another
  /// server's.
  public var origins: [String]
  /// How many servers have passed the evidence on, this one included; nil for evidence of its own.
  public var hops: Int?

  private enum CodingKeys: String, CodingKey {
    case number, last, category, treatment, strength, origins, hops
    case lastDay = "last_day"
  }

  public init(
    number: Int64, last: Int64? = nil, category: String, treatment: String, strength: Int? = nil,
    lastDay: String? = nil, origins: [String], hops: Int? = nil
  ) {
    self.number = number
    self.last = last
    self.category = category
    self.treatment = treatment
    self.strength = strength
    self.lastDay = lastDay
    self.origins = origins
    self.hops = hops
  }

  public static func strength(ofReporters reporters: Int) -> Int? { strengths.last { $0 <= reporters } }
}

/// Decides which rows of another server's evidence file count, so that evidence counts once however many servers pass it
/// on.
public struct ProvenanceOrigins: Sendable, Equatable {
  /// The id of this server; nil before its first publication.
  public var own: String?
  /// Whether this server recognizes its own evidence. If not, evidence that others pass on does not count.
  public var isOwnKnown: Bool
  /// The id of the server that publishes the file.
  public var publisher: String
  /// The ids of all servers that are subscribed to.
  public var subscribed: Set<String>

  public init(own: String?, isOwnKnown: Bool = true, publisher: String, subscribed: Set<String>) {
    self.own = own
    self.isOwnKnown = isOwnKnown
    self.publisher = publisher
    self.subscribed = subscribed
  }

  /// The most servers that pass evidence on. Servers that pass evidence on to each other would otherwise confirm each other
  /// after it has left its origin: so each publication adds one, until the evidence does not count any more.
  static let maxHops = 3

  /// Whether a row counts.
  ///
  /// It counts where the publisher has evidence of its own. Otherwise the publisher passes on the evidence of others, over
  /// at most ``maxHops`` servers, and one of these others is neither this server, nor one that is subscribed to itself,
  /// nor one that an entry of another source has brought already.
  /// - Parameters:
  ///   - origins: the servers with evidence of their own.
  ///   - hops: how many servers have passed the evidence on.
  ///   - known: origins of entries of other sources with the row's number.
  public func counts(_ origins: [String], hops: Int, known: Set<String>) -> Bool {
    origins.contains(publisher)
      || isOwnKnown && hops <= Self.maxHops
        && origins.contains { $0 != own && !subscribed.contains($0) && !known.contains($0) }
  }
}
