/// Why a row was not imported. The raw values are stable codes for summaries and files.
public enum RejectReason: String, Error, CaseIterable, Comparable {
  /// The number is missing or blank.
  case emptyNumber = "empty_number"
  /// A directory's row has no name, or none that is left when it is cleaned.
  case missingName = "missing_name"
  /// The number's text is none.
  case notANumber = "not_a_number"
  /// Fewer digits than any number of its region.
  case tooShort = "too_short"
  /// More digits than any number of its region.
  case tooLong = "too_long"
  /// The right length, but no number of its region.
  case notValid = "not_valid"
  /// A short code or an emergency number.
  case shortOrEmergency = "short_or_emergency"
  /// A national form in a row that names no region.
  case needsRegion = "needs_region"
  /// The digits after the plus begin with no country's calling code.
  case unknownCallingCode = "unknown_calling_code"
  /// The number's parser failed, as when memory runs out.
  case libraryFailure = "library_failure"
  /// The region is no code of two letters, or none that has telephones.
  case badRegion = "bad_region"
  /// The date or time cannot be read.
  case badDate = "bad_date"
  /// The date is more than a day after the import's.
  case dateInFuture = "date_in_future"
  /// The date is before 2000.
  case dateTooOld = "date_too_old"
  /// The date is of months whose reports were dropped: whether the row was counted before cannot be known.
  case dateBeforeRetention = "date_before_retention"
  /// No category has this slug.
  case unknownCategory = "unknown_category"
  /// The line is no JSON object.
  case badJSON = "bad_json"
  /// A required field is missing.
  case missingField = "missing_field"
  /// A field has the wrong type, or holds a NUL character.
  case badField = "bad_field"
  /// The row has another number of columns than the header.
  case wrongColumns = "wrong_columns"
  /// A quoted field does not end, or text follows its closing quote.
  case badQuote = "bad_quote"
  /// The line, or the row with its quoted line ends, is longer than the cap.
  case lineTooLong = "line_too_long"
  /// The report's id is no UUID.
  case badReportID = "bad_report_id"
  /// The comment is longer than its cap.
  case commentTooLong = "comment_too_long"
  /// The reporter's pseudonym is blank or longer than its cap.
  case badReporter = "bad_reporter"

  /// Orders by code.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
