// SPDX-License-Identifier: Apache-2.0

/// The first line of an evidence file, which tells other servers why numbers of a pack are listed.
///
/// The file is JSON Lines, compressed with gzip: this header, then one ``ProvenanceRow`` a line in ascending order of
/// numbers. The signed manifest contains its digest.
public struct ProvenanceHeader: Sendable, Equatable, Codable {
  /// The name of the format in manifests and file names.
  public static let format = "evidence"
  /// The version of the form of evidence files.
  public static let version = 1

  /// ``version``.
  public var evidence: Int
  /// The id of the server that published the file: 16 lower-case hex digits.
  public var server: String
  /// The number of rows.
  public var entries: Int

  /// - Parameters: see the properties.
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

  /// E.164 digits.
  public var number: Int64
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
    case number, category, treatment, strength, origins, hops
    case lastDay = "last_day"
  }

  /// - Parameters: see the properties.
  public init(
    number: Int64, category: String, treatment: String, strength: Int?, lastDay: String?, origins: [String],
    hops: Int? = nil
  ) {
    self.number = number
    self.category = category
    self.treatment = treatment
    self.strength = strength
    self.lastDay = lastDay
    self.origins = origins
    self.hops = hops
  }

  /// The strength of a number of distinct reporters.
  public static func strength(ofReporters reporters: Int) -> Int? { strengths.last { $0 <= reporters } }
}
