// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// The reason why a row was not imported. The raw values are stable codes for summaries and files.
public enum RejectReason: String, Error, CaseIterable, Comparable {
  /// The number is missing or blank.
  case emptyNumber = "empty_number"
  /// A directory's row has no name, or none after cleaning.
  case missingName = "missing_name"
  /// The text is not a number.
  case notANumber = "not_a_number"
  /// Fewer digits than any number of its region.
  case tooShort = "too_short"
  /// More digits than any number of its region.
  case tooLong = "too_long"
  /// The length is right, but it is not a number of its region.
  case notValid = "not_valid"
  /// A short code or an emergency number.
  case shortOrEmergency = "short_or_emergency"
  /// The number is in national form, but the row has no region.
  case needsRegion = "needs_region"
  /// The digits after the plus do not begin with a calling code.
  case unknownCallingCode = "unknown_calling_code"
  /// The parser failed, for example because memory ran out.
  case libraryFailure = "library_failure"
  /// The region is not a code of two letters, or has no telephone numbers.
  case badRegion = "bad_region"
  /// The date or time cannot be read.
  case badDate = "bad_date"
  /// The date is more than a day after the import's.
  case dateInFuture = "date_in_future"
  /// The date is before 2000.
  case dateTooOld = "date_too_old"
  /// The date is in a month whose reports were dropped, so it is unknown whether the row was counted before.
  case dateBeforeRetention = "date_before_retention"
  /// No category has this slug.
  case unknownCategory = "unknown_category"
  /// The line is not a JSON object.
  case badJSON = "bad_json"
  /// A required field is missing.
  case missingField = "missing_field"
  /// A field has the wrong type, or holds a NUL character.
  case badField = "bad_field"
  /// The row and the header have different numbers of columns.
  case wrongColumns = "wrong_columns"
  /// A quoted field does not end, or text follows its closing quote.
  case badQuote = "bad_quote"
  /// The line, or the row with its quoted line ends, is longer than the limit.
  case lineTooLong = "line_too_long"
  /// The report's id is not a UUID.
  case badReportID = "bad_report_id"
  /// The comment is longer than its limit.
  case commentTooLong = "comment_too_long"
  /// The reporter's pseudonym is blank or longer than its limit.
  case badReporter = "bad_reporter"

  /// Orders by code.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension RejectReason {
  /// The reason that corresponds to an error of a number.
  init(_ error: PhoneNumberError) {
    self =
      switch error {
      case .empty: .emptyNumber
      case .notANumber: .notANumber
      case .tooShort: .tooShort
      case .tooLong: .tooLong
      case .notValid: .notValid
      case .shortOrEmergency: .shortOrEmergency
      case .unknownRegion: .badRegion
      case .needsRegion: .needsRegion
      case .unknownCallingCode: .unknownCallingCode
      case .libraryFailure: .libraryFailure
      }
  }
}
