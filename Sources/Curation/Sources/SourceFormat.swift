// SPDX-License-Identifier: Apache-2.0

/// The format of a source that is downloaded at intervals.
public enum SourceFormat: String, Sendable, CaseIterable {
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
  /// SpamBlocker's CSV: the columns `pattern` and `description`.
  case spamBlockerCSV = "spamblocker-csv"
  /// XML of which an attribute or the text of an element is the number.
  case spamBlockerXML = "spamblocker-xml"
  /// PhoneBlock's JSON block list, with changes since a version.
  case phoneBlock = "phoneblock"
  /// The evidence file of a pack that another Ringfence server publishes.
  case ringfence
  /// Saracroche's JSON list of patterns. Those with up to 4 wildcards are read as all their numbers; those with more are
  /// counted and left out.
  case saracroche

  /// Whether the file has dated complaints. The other formats are lists: each file contains all numbers of the source,
  /// and a number that is no longer in it is withdrawn.
  public var hasComplaints: Bool {
    switch self {
    case .ftcCSV, .ftcTSV, .jsonLines: true
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock, .ringfence, .saracroche: false
    }
  }

  /// The range of seconds between two downloads: 5 minutes to 31 days, and from 30 seconds where mostly a signed manifest
  /// is requested that has not changed.
  public var intervals: ClosedRange<Int> { (self == .ringfence ? 30 : 300)...2_678_400 }

  /// The usual seconds between two downloads.
  public var usualInterval: Int { self == .ringfence ? 30 : 21_600 }

  /// Whether the server of the list can send the changes since a version.
  public var hasChanges: Bool { self == .phoneBlock }

  /// The region, an ISO 3166 code, of numbers in national form where the options name none.
  public var defaultRegion: String? { self == .ftcRolling ? "US" : nil }
}
