// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A complaint ready to be stored.
public struct ParsedComplaint: Sendable, Equatable {
  /// The number's E.164 digits without the plus.
  public var number: Int64
  /// The category of the complaint.
  public var category: ReportCategory
  /// When the complaint was made.
  public var reportedAt: Date
  /// The report's own id, or one derived from its content: the same in every import from the same source.
  public var reportID: UUID
  /// The reporter's pseudonym, where the file has one.
  public var reporter: String?
  /// The reporter's comment, where the file has one.
  public var comment: String?
  /// The line in the file, from 1, counting the header.
  public var line: Int

  /// Makes a complaint of these fields, unchecked.
  public init(
    number: Int64, category: ReportCategory, reportedAt: Date, reportID: UUID, reporter: String? = nil,
    comment: String? = nil, line: Int
  ) {
    self.number = number
    self.category = category
    self.reportedAt = reportedAt
    self.reportID = reportID
    self.reporter = reporter
    self.comment = comment
    self.line = line
  }
}
