// SPDX-License-Identifier: Apache-2.0

/// The format of a source that is downloaded at intervals.
public enum FeedFormat: String, Sendable, CaseIterable {
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

  /// Whether the file has dated complaints. The other formats are lists: each file contains all numbers of the source,
  /// and a number that is no longer in it is withdrawn.
  public var hasComplaints: Bool {
    switch self {
    case .ftcCSV, .ftcTSV, .jsonLines: true
    case .ftcRolling, .csv, .spamBlockerCSV, .spamBlockerXML, .phoneBlock: false
    }
  }

  /// Whether the server of the list can send the changes since a version.
  public var hasChanges: Bool { self == .phoneBlock }

  /// The region, an ISO 3166 code, of numbers in national form where the options name none.
  public var defaultRegion: String? { self == .ftcRolling ? "US" : nil }
}
