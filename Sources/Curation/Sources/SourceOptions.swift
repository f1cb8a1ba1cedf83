// SPDX-License-Identifier: Apache-2.0

/// How the entries of a source are read, stored as JSON.
public struct SourceOptions: Sendable, Equatable, Codable {
  /// The category name in ``categories`` whose entries are left out.
  public static let skipped = "none"
  /// The key in ``categories`` for all texts without their own.
  public static let everyOther = "*"

  /// The column with the number: a name of the header, or a position from 1.
  public var numberColumn: String?
  /// The column with the category; nil where every entry has the category of ``everyOther``.
  public var categoryColumn: String?
  /// In XML, the name of the element with the number.
  public var element: String?
  /// In XML, the attribute with the number; nil for the element's text.
  public var attribute: String?
  /// ISO 3166 code of the country of numbers in national form; nil where all numbers are international.
  public var region: String?
  /// ISO 3166 codes of the countries whose numbers are read; empty for all.
  public var countries: [String] = []
  /// Categories, or ``skipped``, by the source's own texts.
  public var categories: [String: String] = [:]
  /// The file with the key that the source's server asks for; nil for none.
  public var keyFile: String?
  /// The public key that signs another server's publications, in Base64; nil where ``trustedRoot`` is given.
  public var trustedKey: String?
  /// The root that lists the keys of another server, a complete file in Base64; nil where ``trustedKey`` is given.
  public var trustedRoot: String?
  /// The pack of another server whose evidence file is read.
  public var pack: String?
  /// Rows of an evidence file with a lower strength are left out; with 0 none is.
  public var minStrength: Int?

  /// Options of a format without its own.
  public init() {}

  /// The category of an entry; nil where it is left out.
  /// - Parameter text: the source's text; nil where it has none.
  public func category(of text: String?) -> ReportCategory? {
    let slug = text.flatMap { categories[$0] } ?? categories[Self.everyOther] ?? ReportCategory.other.slug
    guard slug != Self.skipped else { return nil }
    let category = ReportCategory(slug: slug) ?? .other
    // A list cannot defend a number.
    return category.isToxic ? category : nil
  }
}

extension SourceOptions {
  /// The default of ``minStrength``: the minimum number of reporters for which an evidence file states a strength.
  public static let usualStrength = ProvenanceRow.strengths[0]

  /// The categories of evidence files: those of Ringfence.
  public static let ringfenceCategories = Dictionary(
    uniqueKeysWithValues: ReportCategory.allCases.filter(\.isToxic).map { ($0.slug, $0.slug) })

  /// The categories of PhoneBlock's ratings.
  public static let phoneBlockCategories = [
    "A_LEGITIMATE": skipped, "B_MISSED": "other", "C_PING": "one_ring", "D_POLL": "survey",
    "E_ADVERTISING": "telemarketing", "F_GAMBLE": "gambling", "G_FRAUD": "fraud",
  ]
}

extension SourceFormat {
  /// The categories of a source's own texts where nothing else is set.
  public var usualCategories: [String: String] {
    switch self {
    case .phoneBlock: SourceOptions.phoneBlockCategories
    case .ringfence: SourceOptions.ringfenceCategories
    case .ftcCSV, .ftcTSV, .jsonLines, .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .saracroche: [:]
    }
  }
}
