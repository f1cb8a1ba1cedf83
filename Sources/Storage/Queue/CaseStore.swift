// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// The data of one number for the page of its case, and the notes of moderators.
public struct CaseStore: Sendable {
  private let pool: PostgresPool
  private let thresholds: ThresholdCache

  /// Groups of comments on a page.
  public static let comments = 20
  /// The most reporters on a page.
  public static let reporters = 20
  /// The most reporters whose reports about other numbers are compared.
  public static let comparedReporters = 200
  /// The most numbers of the same block of 100 on a page.
  public static let neighbours = 20
  /// Days in the chart.
  public static let days = 64
  /// Days of the history: ten years.
  static let historyDays = 3_652

  public init(pool: PostgresPool) {
    self.pool = pool
    thresholds = ThresholdCache(pool: pool)
  }

  /// All data of a number, from one snapshot as far as `ExplanationStore.explain` states.
  /// - Parameter before: the cursor of the page of comments; nil for the first.
  public func read(_ number: Int64, commentsBefore before: CommentPlace? = nil, at time: Date) async throws -> CaseFile
  {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    let neighbours = pipeline.add(SQL.readNeighbours(number: number, limit: Self.neighbours))
    let range = pipeline.add(SQL.readRangesOfNumber(number: number))
    let item = pipeline.add(SQL.readCase(number: number))
    let passes = pipeline.add(SQL.readPasses(number: number))
    let names = pipeline.add(SQL.readDirectoryNames(number: number))
    let protected = pipeline.add(SQL.readProtectedNeighbour(number: number))
    let newest = pipeline.add(SQL.readLatestPublication())
    let concentration = pipeline.add(SQL.readCaseConcentration(number: number))
    let notes = pipeline.add(SQL.readNotes(number: number))
    let comments = pipeline.add(
      SQL.readComments(number: number, before: before ?? Self.newest, limit: Self.comments + 1))
    let reporters = pipeline.add(SQL.readCaseReporters(number: number, limit: Self.reporters))
    let days = pipeline.add(SQL.readCaseDays(number: number, time: time))
    let hours = pipeline.add(SQL.readReportHours(number: number, time: time))
    let apps = pipeline.add(SQL.readReportsByApp(number: number))
    let filings = pipeline.add(SQL.readFilings(number: number))
    let undone = pipeline.add(SQL.readUndoneAnswer(number: number))
    let reviews = pipeline.add(SQL.readReviewActivation())
    let proposals = pipeline.add(SQL.readProposals(number: number))
    let handover = pipeline.add(SQL.readHandover(number: number))
    let draft = pipeline.add(SQL.readDraft(number: number))
    let results = try await pool.snapshot(pipeline)
    let known = try await question.answer(results, at: time, thresholds: thresholds)
    let (ranges, waiting) = (try results.rows(range), try results.rows(item).first)
    var passed = try results.rows(handover).first
    passed?.after.merge(try results.rows(draft).first ?? [:]) { $1 }
    return CaseFile(
      explanation: known.explanation, item: waiting, passes: try results.rows(passes),
      decisions: known.decisions, hold: known.hold, appeals: known.appeals,
      filings: try results.rows(filings), undoneAnswer: try results.rows(undone).first ?? nil,
      names: try results.rows(names),
      protectedNeighbour: try results.rows(protected).first,
      concentration: try results.rows(concentration).first ?? CaseConcentration(),
      newestSerial: try results.rows(newest).first?.serial, comments: try results.rows(comments),
      reporters: try results.rows(reporters),
      neighbours: try results.rows(neighbours), days: try results.rows(days),
      hours: try results.rows(hours), apps: try results.rows(apps), notes: try results.rows(notes),
      range: ranges.first,
      rangeToDecide: Self.rangeToDecide(of: number, waiting, known.explanation.openAppeals > 0, ranges),
      handover: passed, areReviewsOn: try results.rows(reviews).first?.isOn == true,
      proposals: try results.rows(proposals))
  }

  /// The range that the case of a number asks about: one that was detected and begins with the number. An open appeal is
  /// answered first.
  package static func rangeToDecide(
    of number: Int64, _ item: QueueCase?, _ isAppealed: Bool, _ rules: [RangeRule]
  ) -> RangeRule? {
    guard item?.causes.contains(.range) == true, !isAppealed else { return nil }
    return rules.first { $0.state == .proposed && $0.proposedBy == nil && $0.range.first == number }
  }

  /// The data for checking a decision: why a number is listed or not, earlier decisions, the oldest first, its case
  /// where it has one, the range that the case asks about, and the rule for blocking it; see `ExplanationStore.explain`.
  public func brief(_ number: Int64, at time: Date) async throws -> (
    explanation: Explanation, decisions: [DecisionEvent], item: QueueCase?, rangeToDecide: RangeRule?,
    blockRule: BlockRule
  ) {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    let item = pipeline.add(SQL.readCase(number: number))
    let names = pipeline.add(SQL.readDirectoryNames(number: number))
    let protected = pipeline.add(SQL.readProtectedNeighbour(number: number))
    let ranges = pipeline.add(SQL.readRangesOfNumber(number: number))
    let results = try await pool.snapshot(pipeline)
    let known = try await question.answer(results, at: time, thresholds: thresholds)
    let waiting = try results.rows(item).first
    let range = Self.rangeToDecide(
      of: number, waiting, known.explanation.openAppeals > 0, try results.rows(ranges))
    let rule = BlockRule(
      isNamed: try !results.rows(names).isEmpty, hasProtectedNeighbour: try !results.rows(protected).isEmpty)
    return (known.explanation, known.decisions, waiting, range, rule)
  }

  /// The reporters of a number, those with the greatest weight first, and their reports about all numbers. Reads all reports
  /// of 30 days.
  public func reporters(of number: Int64, at time: Date) async throws -> CaseReporters {
    let (reporters, concentration) = try await pool.withConnection {
      try await $0.pipeline(
        SQL.readCaseReporters(number: number, limit: Self.comparedReporters),
        SQL.readCaseConcentration(number: number))
    }
    let comment = concentration.first?.text ?? ""
    let read = SQL.readReportsOfReporters(
      reporters: reporters.map(\.reporter), comment: comment, besides: number,
      since: RetainedData.networks.limit(at: time), limit: 50_000)
    let reports = try await pool.transaction { connection in
      // A database of a year's reports may take longer: then the page has no related numbers.
      try await connection.execute(script: "SET LOCAL statement_timeout = '8s'")
      return try await connection.run(read)
    }
    // A comment on harassment may itself be harassment.
    let isShown = concentration.first?.textCategory != .harassment
    return CaseReporters(reporters: reporters, comment: isShown ? comment : "", reports: reports)
  }

  /// Reports and calls of a number by day, ascending, without days that had none.
  public func days(of number: Int64, at time: Date) async throws -> [CaseDay] {
    try await pool.run(SQL.readCaseDays(number: number, time: time, days: Self.historyDays))
  }

  /// Adds a note about a number, for moderators only. Safe to call again with the same id.
  /// - Throws: `RuleViolation` for a note that is blank or too long; `PostgresError`.
  public func note(_ text: String, about number: Int64, id: UUID, by worker: Actor, at time: Date) async throws {
    let note = try RuleViolation.text(text, "note", atMost: TextLimit.note)
    try await pool.change(at: time) { connection in
      let add = SQL.addNote(number: number, id: id, account: worker.name, note: note, time: time)
      guard try await !connection.run(add).isEmpty else { return .none }
      return .made(worker.did(.noteAdd, to: number, after: ["note": note]))
    }
  }

  private static let newest = CommentPlace(
    count: .max, reportedAt: Date(timeIntervalSinceReferenceDate: .infinity),
    reportID: UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)))
}

/// All data of one number that a moderator sees.
public struct CaseFile: Sendable {
  public var explanation: Explanation
  /// Its case; nil where it is not in the queue.
  public var item: QueueCase?
  /// The accounts that passed it on.
  public var passes: [String]
  /// All decisions, the oldest first.
  public var decisions: [DecisionEvent]
  /// Its hold, settled or not.
  public var hold: Hold?
  /// Its appeals, the oldest first.
  public var appeals: [Appeal]
  /// The statements in its appeals, the oldest first, with contacts.
  public var filings: [FiledStatement]
  /// The text of the rejection that was undone last; nil for none, and where another answer followed.
  public var undoneAnswer: String?
  /// Its names in directories, those with precedence first.
  public var names: [DirectoryName]
  /// A protected number in the same block of 100; nil where there is none.
  public var protectedNeighbour: Protection?
  public var concentration: CaseConcentration
  public var newestSerial: Int64?
  /// Its comments in groups of one text, the largest groups first; one more than ``CaseStore/comments`` where there are
  /// more.
  public var comments: [CaseComment]
  /// Its reporters, those with the greatest weight first, at most ``CaseStore/reporters``.
  public var reporters: [CaseReporter]
  /// Numbers of the same block of 100, highest heat first, at most ``CaseStore/neighbours``.
  public var neighbours: [Neighbour]
  /// The last ``CaseStore/days`` days, ascending, without days that had neither reports nor calls.
  public var days: [CaseDay]
  /// Reports of apps of these days by hour of the week, from Monday 00:00 UTC, without hours that had none.
  public var hours: [(hour: Int, reports: Int)]
  /// Reports by app and list, the most first.
  public var apps: [(name: String, reports: Int, reporters: Int)]
  /// Notes of moderators, the newest first.
  public var notes: [CaseNote]
  /// The rule with the fewest numbers that contains it, where one is proposed or decided.
  public var range: RangeRule?
  /// The range that its case asks about.
  public var rangeToDecide: RangeRule?
  /// The last time that somebody passed its case on.
  public var handover: CaseHandover?
  /// Whether other moderators review decisions.
  public var areReviewsOn: Bool
  /// Decisions that programs propose, by account.
  public var proposals: [CaseProposal]
}

/// A skip or an escalation of a case, with the input of its form.
public struct CaseHandover: Sendable, Equatable {
  public enum Kind: String, Sendable {
    case pass = "case.pass"
    case escalate = "case.escalate"
    /// The skip or the escalation was taken back.
    case takeBack = "case.take_back"
  }

  /// The id of its event in the audit log.
  public var id: UUID
  public var kind: Kind
  public var account: String
  public var time: Date
  /// The case before and after: `level`, `assigned_to`; after also the input, `label`, `answer` and `note`.
  public var before: [String: String], after: [String: String]
  public var reason: String?
}

/// Comments on a number that have the same text, apart from case, spaces and punctuation.
public struct CaseComment: Sendable, Equatable {
  /// The text of the newest one, unchecked.
  public var text: String
  public var count: Int
  /// When the newest report was made.
  public var reportedAt: Date
  /// The most frequent category of the reports.
  public var category: ReportCategory
  /// The newest report; distinguishes comments of the same time.
  public var reportID: UUID
  /// The reporters of the comments whose votes are stored, by weight.
  public var reporters: Explanation.Weights
}

/// The cursor of the next page of comments.
public struct CommentPlace: Sendable, Equatable {
  /// Of the last group on the page.
  public var count: Int64
  /// Of the last group on the page.
  public var reportedAt: Date
  /// Of the last group on the page.
  public var reportID: UUID

  public init(count: Int64, reportedAt: Date, reportID: UUID) {
    self.count = count
    self.reportedAt = reportedAt
    self.reportID = reportID
  }
}

/// How the complaints about a number are concentrated.
public struct CaseConcentration: Sendable, Equatable {
  /// Reporters with a complaint whose network is stored; networks are deleted after 30 days.
  public var networked = 0
  /// Reporters with a complaint from the network with the most of them.
  public var sameNetwork = 0
  /// Reporters with a complaint that has a comment.
  public var commenting = 0
  /// Reporters with a complaint of the most frequent text.
  public var sameText = 0
  /// The most frequent text of a complaint; empty for none.
  public var text = ""
  /// The most frequent category of the complaints with this text.
  public var textCategory: ReportCategory?
}

/// A reporter of a number.
public struct CaseReporter: Sendable, Equatable {
  public var reporter: Reporter
  /// The weight of the vote, 0 to 1.
  public var weight: Float
  public var category: ReportCategory
  /// Number of decisions on numbers that the reporter had reported before.
  public var judged: Int
  /// Number of those decisions that agreed with the reporter.
  public var agreed: Int
  /// Number of bursts against numbers that were then allowed.
  public var bursts: Int
  /// When the first report arrived; nil for a newcomer.
  public var since: Date?

  /// The first four hexadecimal digits, such as `7f3a`, which distinguish reporters.
  public var pseudonym: String { Hexadecimal.text(reporter.bytes.prefix(2)) }
}

/// The reports of one reporter about a number.
public struct ReportsOfReporter: Sendable, Equatable {
  public var number: Int64
  public var reporter: Reporter
  /// Keyed hashes of networks, which are kept for 30 days.
  public var networks: Set<[UInt8]>
  /// Whether one has the comment that was asked for.
  public var hasComment: Bool
}

/// The reporters of a number, and what they and its most frequent comment have in common with other numbers.
public struct CaseReporters: Sendable {
  public var reporters: [CaseReporter]
  /// The most frequent comment; empty for none, and for one on harassment.
  public var comment: String
  /// Reports of the last 30 days, by number and reporter.
  public var reports: [ReportsOfReporter]
}

/// A number in the same block of 100.
public struct Neighbour: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Stored heat; read it through `Decay`.
  public var heat: Double
  public var reports: Int64
  /// Whether the newest publication lists it.
  public var isPublished: Bool
  public var decision: Decision.Treatment?
  public var isHeld: Bool
  /// Whether it waits in the queue.
  public var isWaiting: Bool
}

/// Reports and calls of one day (UTC).
public struct CaseDay: Sendable, Equatable {
  /// Days since 1970-01-01.
  public var day: Int32
  /// Complaints that are not withdrawn.
  public var complaints: Int
  /// Reports of "legitimate" that are not withdrawn.
  public var votes: Int
  /// Calls that phones counted.
  public var calls: Int64
}

public struct CaseNote: Sendable, Equatable {
  public var account: String
  public var text: String
  public var writtenAt: Date
}
