// SPDX-License-Identifier: Apache-2.0

/// How the entries of a source are read, stored as JSON.
public struct FeedOptions: Sendable, Equatable, Codable {
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

extension FeedOptions {
  /// The categories of PhoneBlock's ratings.
  public static let phoneBlockCategories = [
    "A_LEGITIMATE": skipped, "B_MISSED": "other", "C_PING": "one_ring", "D_POLL": "survey",
    "E_ADVERTISING": "telemarketing", "F_GAMBLE": "gambling", "G_FRAUD": "fraud",
  ]
}
