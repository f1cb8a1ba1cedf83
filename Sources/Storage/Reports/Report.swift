public import Curation
public import Foundation

/// A report ready to be stored: parsed, checked, its reporter already a pseudonym.
public struct Report: Sendable, Equatable {
  /// What makes a report the same one when it is sent again.
  public struct Key: Hashable, Sendable {
    /// E.164 digits.
    public let number: Int64
    /// The app it came through.
    public let appID: Int32
    /// The app's name for it.
    public let reportID: UUID
    /// Whole microseconds count.
    public let reportedAt: Date
  }

  /// E.164 digits, 1 to 999,999,999,999,999.
  public var number: Int64
  /// The app it came through.
  public var appID: Int32
  /// Chosen by the client; the same for every retry.
  public var reportID: UUID
  /// When the reporter spoke, by the client's clock; the same for every retry. Microseconds are kept.
  public var reportedAt: Date
  /// What the reporter says the call was.
  public var category: ReportCategory
  /// Keyed hash of the reporter, 16 bytes; nil for lists, whose rows never pass for distinct reporters.
  public var reporter: [UInt8]?
  /// How much it counts, above 0; 1 is a reporter's word.
  public var weight: Float
  /// At most 500 characters.
  public var comment: String?
  /// Keyed hash of the network it came from, 8 bytes; not part of what makes a retry the same.
  public var network: [UInt8]?
  /// The key it came by; nil for lists. Not part of what makes a retry the same.
  public var keyID: Int32?

  /// The primary key of the row.
  public var key: Key { Key(number: number, appID: appID, reportID: reportID, reportedAt: reportedAt) }

  /// - Parameters: see the properties.
  public init(
    number: Int64, appID: Int32, reportID: UUID, reportedAt: Date, category: ReportCategory,
    reporter: [UInt8]?, weight: Float = 1, comment: String? = nil, network: [UInt8]? = nil
  ) {
    self.number = number
    self.appID = appID
    self.reportID = reportID
    self.reportedAt = reportedAt
    self.category = category
    self.reporter = reporter
    self.weight = weight
    self.comment = comment
    self.network = network
  }
}
