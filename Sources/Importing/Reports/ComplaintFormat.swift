// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import Intake
public import Storage

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

  /// Whether a row may have a reporter, a comment or an id of its own.
  public var mayHaveReporters: Bool { self == .jsonLines }

  /// The region, an ISO 3166 code, of numbers without `+`; nil when each row names its own.
  public var defaultRegion: String? {
    switch self {
    case .ftcTSV, .ftcCSV: "US"
    case .jsonLines: nil
    }
  }
}

/// The sizes beyond which a row is rejected.
enum ComplaintLimits {
  /// Bytes of UTF-8 in a raw number. Longer ones are not numbers.
  static let numberBytes = 250
  /// Bytes of UTF-8 in a reporter's pseudonym.
  static let reporterBytes = 200
  /// Bytes of a rejected line that are kept for the file of rejects.
  static let rejectTextBytes = 1_000
}

/// One complaint from a file: fields read and checked, the number not yet parsed.
struct ComplaintDraft: Sendable, Equatable {
  /// The number as typed, at most ``ComplaintLimits/numberBytes`` bytes of UTF-8.
  var rawNumber: String
  /// Two capital letters (ISO 3166) whose national form the number may have; nil when it must start with `+`.
  var region: String?
  var category: ReportCategory
  /// A time without a zone is UTC.
  var reportedAt: Date
  /// The reporter's pseudonym, where the file has one.
  var reporter: String?
  var reportID: UUID?
  /// The reporter's comment, at most `CommentRule.maxLength` Unicode scalars.
  var comment: String?
  /// The line in the file, from 1, counting the header.
  var line: Int
}

/// A complaint ready to be stored.
public struct ParsedComplaint: Sendable, Equatable {
  /// The number's E.164 digits without the plus.
  public var number: Int64
  public var category: ReportCategory
  public var reportedAt: Date
  /// The report's own id, or one derived from its content: the same in every import from the same source.
  public var reportID: UUID
  /// The reporter's pseudonym, where the file has one.
  public var reporter: String?
  public var comment: String?
  /// The line in the file, from 1, counting the header.
  public var line: Int
  /// Whether the numbering plan does not have the number.
  public var isUnassigned: Bool = false
}

/// Stores the complaints of an import.
public struct ComplaintSink: Sendable {
  private let store: ReportStore
  private let source: App
  private let pseudonymizer: Pseudonymizer
  private let protection: ProtectionCache
  private let arrivesWhenReported: Bool

  /// - Parameters:
  ///   - source: the app under which the rows are stored.
  ///   - protection: protected numbers, whose rows have the weight 0; refreshed.
  ///   - arrivesWhenReported: whether reports arrive on the days on which they were made, as in demo data, and not now.
  public init(
    store: ReportStore, source: App, pseudonymizer: Pseudonymizer, protection: ProtectionCache = .none,
    arrivesWhenReported: Bool = false
  ) {
    self.store = store
    self.source = source
    self.pseudonymizer = pseudonymizer
    self.protection = protection
    self.arrivesWhenReported = arrivesWhenReported
  }

  /// Stores a batch. Rows without a reporter do not count as reporters.
  ///
  /// A file contains no networks. The operator who imports a file with reporters vouches for them, so each reporter
  /// counts as one network too; otherwise none of their numbers could reach a threshold that requires two.
  /// - Throws: the database's error; the batch, or the rest of its days, is then not stored.
  public func take(_ complaints: [ParsedComplaint]) async throws -> SinkResult {
    var outcomes: [ReportOutcome] = []
    for (time, group) in arrivals(of: reports(of: complaints)) {
      outcomes += try await store.accept(group, receivedAt: time)
    }
    let inserted = outcomes.count { $0 == .created }
    let conflicts = outcomes.count { $0 == .conflict }
    return SinkResult(inserted: inserted, duplicates: outcomes.count - inserted - conflicts, conflicts: conflicts)
  }

  /// Passes a batch of a format without reporters to a bulk import.
  /// - Throws: ``ImportFileError``; the import then stores nothing.
  public func collect(_ complaints: [ParsedComplaint], into sorter: ReportSorter) throws -> SinkResult {
    try sorter.add(reports(of: complaints))
    return SinkResult(inserted: complaints.count, duplicates: 0)
  }

  /// The reports of complaints; those about protected numbers have the weight 0.
  func reports(of complaints: [ParsedComplaint]) -> [Report] {
    let reports = complaints.map { complaint in
      let reporter = complaint.reporter.map { pseudonymizer.pseudonym(of: $0, appID: source.id) }
      var report = Report(
        number: complaint.number, appID: source.id, reportID: complaint.reportID, reportedAt: complaint.reportedAt,
        category: complaint.category,
        reporter: reporter, comment: complaint.comment, network: reporter.map { Array($0.prefix(8)) })
      report.isUnassigned = complaint.isUnassigned
      return report
    }
    return protection.unweighing(reports)
  }

  /// The reports with the time of their arrival: now, or the last report of their UTC day.
  private func arrivals(of reports: [Report]) -> [(time: Date, reports: [Report])] {
    guard arrivesWhenReported else { return [(time: Date(), reports: reports)] }
    let days = Dictionary(grouping: reports) { ($0.reportedAt.timeIntervalSince1970 / 86_400).rounded(.down) }
    return days.sorted { $0.key < $1.key }.map { _, reports in
      (time: reports.map(\.reportedAt).max() ?? Date(), reports: reports)
    }
  }
}
