// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A source that is downloaded at intervals, with the outcome of its last download.
public struct SourceFeed: Sendable, Equatable {
  /// The settings of a source.
  public struct Settings: Sendable, Equatable {
    /// The range of ``every``: 5 minutes to 31 days.
    public static let intervals = 300...2_678_400
    /// The longest URL, in bytes.
    public static let mostURLBytes = 2_000

    /// Unique, 1 to 80 characters.
    public var name: String
    /// Where the file is: http or https, at most ``mostURLBytes`` bytes.
    public var url: String
    /// The format of the file.
    public var format: FeedFormat
    /// Seconds between two downloads.
    public var every: Int
    /// How entries are read.
    public var options: FeedOptions
    /// The most treatment that the source can cause alone.
    public var ceiling: SourceCeiling
    /// The license of the list, 1 to 200 characters; nil where it is not known.
    public var license: String?

    /// - Parameters: see the properties.
    public init(
      name: String, url: String, format: FeedFormat, every: Int, options: FeedOptions = FeedOptions(),
      ceiling: SourceCeiling = .review, license: String? = nil
    ) {
      self.name = name
      self.url = url
      self.format = format
      self.every = every
      self.options = options
      self.ceiling = ceiling
      self.license = license
    }
  }

  /// The state after the last successful download.
  public struct State: Sendable, Equatable {
    /// The file's entity tag; nil where the server sends none.
    public var etag: String?
    /// The file's time of change, as the server sent it.
    public var lastModified: String?
    /// The version of a list that sends its changes.
    public var listVersion: Int64?
    /// When the complete list was read.
    public var completeAt: Date?
    /// When the source was read, or said that nothing has changed.
    public var refreshedAt: Date?
    /// Entries of the source, or complaints of its last file.
    public var entries = 0

    /// The state before the first download.
    public init() {}
  }

  /// The list's id in `apps`.
  public let id: Int32
  /// The settings.
  public let settings: Settings
  /// When it was added.
  public let addedAt: Date
  /// When it is downloaded next.
  public let nextAt: Date
  /// The state after the last success.
  public let state: State
  /// Failed attempts since the last success.
  public let failures: Int
  /// When the last attempt failed; nil after a success.
  public let failedAt: Date?
  /// Why it failed; nil after a success.
  public let failure: FeedFailure?

  /// The name.
  public var name: String { settings.name }
}

/// An entry of a source: a number on its list, with the report that counts for it.
public struct SourceEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The category of the report.
  public var category: ReportCategory
  /// The time of the report: the start of a day in UTC.
  public var reportedAt: Date

  /// - Parameters: see the properties.
  public init(number: Int64, category: ReportCategory, reportedAt: Date) {
    self.number = number
    self.category = category
    self.reportedAt = reportedAt
  }

  /// The id of the report, the same in every attempt to store it.
  public func reportID(of appID: Int32) -> UUID {
    UUID(naming: "source \(appID) \(number) \(category.rawValue) \(Int(reportedAt.timeIntervalSince1970))")
  }
}
