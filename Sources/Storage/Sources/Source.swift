// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A source that is downloaded at intervals, with the outcome of its last download.
public struct Source: Sendable, Equatable {
  public struct Settings: Sendable, Equatable {
    /// The longest URL, in bytes.
    public static let maxURLBytes = 2_000
    /// The most characters of a license.
    public static let maxLicense = 200

    /// Unique, 1 to 80 characters.
    public var name: String
    /// Where the file is: http or https, at most ``maxURLBytes`` bytes.
    public var url: String
    public var format: SourceFormat
    /// Seconds between two downloads, within the format's ``SourceFormat/intervals``.
    public var every: Int
    /// How entries are read.
    public var options: SourceOptions
    /// The strongest action that the source can trigger alone.
    public var ceiling: SourceCeiling
    /// The license of the list; nil where it is not known.
    public var license: String?
    /// The most entries that a complete list may add, or remove, in percent of the former ones; see `ChangeLimit`.
    public var maxChange: Int
    /// Whether private addresses are refused.
    public var isPublic: Bool

    /// The text of an interval, such as `6h`.
    public static func text(ofInterval seconds: Int) -> String {
      for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60)] where seconds % length == 0 {
        return "\(seconds / length)\(unit)"
      }
      return "\(seconds)s"
    }

    public init(
      name: String, url: String, format: SourceFormat, every: Int, options: SourceOptions = SourceOptions(),
      ceiling: SourceCeiling = .review, license: String? = nil, maxChange: Int = ChangeLimit.usualPercent,
      isPublic: Bool = false
    ) {
      self.name = name
      self.url = url
      self.format = format
      self.every = every
      self.options = options
      self.ceiling = ceiling
      self.license = license
      self.maxChange = maxChange
      self.isPublic = isPublic
    }
  }

  /// The state after the last successful download.
  public struct State: Sendable, Equatable {
    /// The file's entity tag; nil where the server sends none.
    public var etag: String?
    /// The file's time of change, as the server sent it.
    public var lastModified: String?
    /// The version of a list that sends its changes; for the publication of another server, the day in UTC on which the
    /// entries were stored, in days since 1970-01-01.
    public var listVersion: Int64?
    /// When the complete list was read.
    public var completeAt: Date?
    /// When the source was read, or said that nothing has changed.
    public var refreshedAt: Date?
    /// Entries of the source, or complaints of its last file.
    public var entries = 0
    /// The rejected rows of the last file, even if the file was refused, and of later changes.
    public var rejected = RejectedRows()
    /// The id of the server that publishes the list; nil before it is known, and for other formats.
    public var serverID: String?
    /// The newest publication of that server which was accepted.
    public var seen: SeenPublication?
    /// SHA-256 of the evidence file that the entries are from; nil where it must be read again.
    public var listSHA256: String?
    /// SHA-256 of the file that a refresh has begun to store; nil where it was finished.
    public internal(set) var changingSHA256: String?
    /// The progress of a running, or interrupted, refresh; nil where the last one was finished.
    public internal(set) var progress: Progress?
    /// Rises whenever the file must be read again.
    public internal(set) var generation: Int32 = 0
    /// When the publication of ``etag`` expires.
    public var expiresAt: Date?

    /// The state before the first download.
    public init() {}
  }

  /// How far a refresh is.
  public struct Progress: Sendable, Equatable {
    public let done: Int
    /// The entries of the file.
    let goal: Int
  }

  /// The newest publication of another server that was accepted. It is stored before its entries are, so that no earlier
  /// one is accepted afterwards.
  public struct SeenPublication: Sendable, Equatable {
    public var serial: Int64
    /// SHA-256 of the manifest's signed part.
    public var sha256: String
    /// The serial of ``root``; 0 where there is none.
    public var rootSerial: Int64
    /// The newest root, a complete file; nil while only a key is known.
    public var root: [UInt8]?

    public init(serial: Int64, sha256: String, rootSerial: Int64, root: [UInt8]?) {
      self.serial = serial
      self.sha256 = sha256
      self.rootSerial = rootSerial
      self.root = root
    }
  }

  /// The precision of a source, and its suspension.
  public struct Quality: Sendable, Equatable {
    /// By the decisions in force.
    public var precision = SourcePrecision()
    /// When it was counted; nil where it was not yet.
    public var judgedAt: Date?
    public var suspendedAt: Date?
    var resumedAt: Date?
  }

  /// The list's id in `apps`.
  public let id: Int32
  public let settings: Settings
  public let addedAt: Date
  /// When it is downloaded next.
  public let nextAt: Date
  public let state: State
  /// Failed attempts since the last success.
  public let failures: Int
  /// When the last attempt failed; nil after a success.
  public let failedAt: Date?
  /// Why it failed; nil after a success.
  public let failure: SourceFailure?
  public let quality: Quality

  public var name: String { settings.name }

  /// Whether it is to be downloaded. A clock that was ahead may have set a time that is further ahead than any.
  public func isDue(at time: Date) -> Bool {
    nextAt <= time || !GatingTime.isRight(nextAt, at: time + max(Double(settings.every) * 1.05, 86_400))
  }
  public var isSuspended: Bool { quality.suspendedAt != nil }
}

/// An entry of a source: a number on its list, with the reports that count for it.
public struct SourceEntry: Sendable, Equatable {
  /// The most complaints that count for a number of a list.
  public static let maxComplaints = 3

  /// E.164 digits.
  public var number: Int64
  public var category: ReportCategory
  /// The time of the reports: the start of the day in UTC of the last refresh whose file contained the number.
  public var reportedAt: Date
  /// The weight of a report.
  public var weight: Float
  /// The number of reports, at most ``maxComplaints``; 0 for an entry that the list no longer contains, until the
  /// refresh has revoked its number.
  public var complaints: Int
  /// The ids of the servers with evidence of their own; empty for lists of other formats.
  public var origins: [String]
  /// How many servers have passed the evidence on; 0 for evidence of the source's own server, and for lists of other formats.
  public var hops: Int

  public init(
    number: Int64, category: ReportCategory, reportedAt: Date, weight: Float = 1, complaints: Int = 1,
    origins: [String] = [], hops: Int = 0
  ) {
    self.number = number
    self.category = category
    self.reportedAt = reportedAt
    self.weight = weight
    self.complaints = complaints
    self.origins = origins
    self.hops = hops
  }
}
