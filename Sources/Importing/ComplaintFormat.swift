// SPDX-License-Identifier: Apache-2.0

/// The layouts of complaint files that can be imported.
public enum ComplaintFormat: String, Sendable, CaseIterable {
  /// Tab-separated, as in the FTC's answers to record requests: a date, the number as typed, the consumer's area code.
  ///
  /// A header line with `created_date` and `company_phone_number_raw` names the columns; without one they have the
  /// order above.
  case ftcTSV = "ftc-tsv"

  /// The FTC's official daily file: comma-separated (RFC 4180) with a header line that must name
  /// `Company_Phone_Number` and `Created_Date`; `Subject` and `Recorded_Message_Or_Robocall` are used when there.
  case ftcCSV = "ftc-csv"

  /// One JSON object a line with the keys of `POST /v1/reports`: `number`, `region`, `category`, `reporter`,
  /// `report_id`, `reported_at`, `comment`.
  case jsonLines = "jsonl"

  /// The region, an ISO 3166 code, of numbers without `+`; nil when each row names its own.
  public var defaultRegion: String? {
    switch self {
    case .ftcTSV, .ftcCSV: "US"
    case .jsonLines: nil
    }
  }
}
