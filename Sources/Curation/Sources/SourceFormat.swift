// SPDX-License-Identifier: Apache-2.0

/// The format of a source that is downloaded at intervals.
public enum SourceFormat: String, Sendable, CaseIterable, Decodable {
  /// Complaints in the FTC's daily file.
  case ftcCSV = "ftc-csv"
  /// Complaints, tab-separated, as in the FTC's answers to record requests.
  case ftcTSV = "ftc-tsv"
  /// Complaints as JSON objects, one a line, with the fields of `POST /v1/reports`.
  case jsonLines = "jsonl"
  /// The rolling list of numbers from the FTC's complaints: one column, `pattern`.
  case ftcRolling = "ftc-rolling"
  /// Rows with a header, separated by commas, semicolons, bars or tabs; the options name the columns.
  case csv
  /// SpamBlocker's CSV: the columns `pattern` and `description`. A regular expression for a prefix is a rule for a range.
  case spamBlockerCSV = "spamblocker-csv"
  /// XML of which an attribute or the text of an element is the number.
  case spamBlockerXML = "spamblocker-xml"
  /// PhoneBlock's JSON block list, with changes since a version.
  case phoneBlock = "phoneblock"
  /// The evidence file of a pack that another Ringfence server publishes.
  case ringfence
  /// Saracroche's JSON list of numbers and patterns. A pattern with wildcards is a rule for a range.
  case saracroche
  /// Contacts, such as an address book of blocked callers. A number with wildcards is a rule for a range.
  case vCard = "vcard"
  /// Numbers and patterns that are protected instead of listed: one a line, and perhaps a reason after a tab.
  case protectedList = "protected-list"
  /// The same in the JSON of MISP's warning lists.
  case mispWarningList = "misp-warninglist"

  /// Whether the numbers of the list are protected: it frees numbers, and lists none.
  public var protects: Bool { self == .protectedList || self == .mispWarningList }

  /// Whether the file has dated complaints. The other formats are lists: each file contains all numbers of the source,
  /// and a number that is no longer in it is withdrawn.
  public var hasComplaints: Bool {
    switch self {
    case .ftcCSV, .ftcTSV, .jsonLines: true
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock, .ringfence, .saracroche, .vCard,
      .protectedList, .mispWarningList:
      false
    }
  }

  /// The range of seconds between two downloads: 5 minutes to 31 days, and from 30 seconds where mostly a signed manifest
  /// is requested that has not changed.
  public var intervals: ClosedRange<Int> { (self == .ringfence ? 30 : 300)...2_678_400 }

  /// The usual seconds between two downloads.
  public var usualInterval: Int { self == .ringfence ? 30 : 21_600 }

  /// Whether a number of the list has a row for each complaint about it.
  public var countsRows: Bool { self == .ftcRolling }

  /// Whether the server of the list can send the changes since a version.
  public var hasChanges: Bool { self == .phoneBlock }

  /// The region, an ISO 3166 code, of numbers in national form where the options name none.
  public var defaultRegion: String? { self == .ftcRolling ? "US" : nil }
}

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

  /// The categories of evidence files, which are the slugs of ``ReportCategory``.
  public static let ringfenceCategories = Dictionary(
    uniqueKeysWithValues: ReportCategory.allCases.filter(\.isToxic).map { ($0.slug, $0.slug) })

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
    case .ftcCSV, .ftcTSV, .jsonLines, .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .saracroche, .vCard,
      .protectedList,
      .mispWarningList:
      [:]
    }
  }
}
