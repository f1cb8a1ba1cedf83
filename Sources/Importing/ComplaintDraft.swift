// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation

/// One complaint from a file: fields read and checked, the number not yet parsed.
struct ComplaintDraft: Sendable, Equatable {
  /// The number as typed, at most ``ComplaintLimits/numberBytes`` bytes of UTF-8.
  var rawNumber: String
  /// Two capital letters (ISO 3166) whose national form the number may have; nil when it must start with `+`.
  var region: String?
  var category: ReportCategory
  /// When the complaint was made. A time without a zone is UTC.
  var reportedAt: Date
  /// The reporter's pseudonym, where the file has one.
  var reporter: String?
  /// The report's own id, where the file has one.
  var reportID: UUID?
  /// The reporter's comment, at most ``ComplaintLimits/commentCharacters`` Unicode scalars.
  var comment: String?
  /// The line in the file, from 1, counting the header.
  var line: Int
}
