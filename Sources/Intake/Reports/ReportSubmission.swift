// SPDX-License-Identifier: Apache-2.0

/// A report as an app sends it, not yet checked.
public struct ReportSubmission: Sendable, Equatable {
  /// As typed; national forms need `region`.
  public var number: String
  /// ISO 3166-1 alpha-2.
  public var region: String?
  /// A category's slug.
  public var category: String
  /// The app's own name for its user, 1 to 200 characters.
  public var reporter: String
  /// A UUID that every retry repeats.
  public var reportID: String
  /// RFC 3339; every retry repeats it.
  public var reportedAt: String
  /// At most 500 characters.
  public var comment: String?

  /// - Parameters: see the properties.
  public init(
    number: String, region: String? = nil, category: String, reporter: String, reportID: String, reportedAt: String,
    comment: String? = nil
  ) {
    self.number = number
    self.region = region
    self.category = category
    self.reporter = reporter
    self.reportID = reportID
    self.reportedAt = reportedAt
    self.comment = comment
  }
}
