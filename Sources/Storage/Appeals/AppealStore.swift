// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Appeals of the owners of numbers, and their answers.
public struct AppealStore: Sendable {
  let pool: PostgresPool

  /// The number of the last answers that the usual time of an answer is taken from.
  private static let observedAnswers = 200

  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// Opens an appeal and its case.
  public func file(_ appeal: Appeal) async throws {
    try await pool.transaction { connection in
      try await connection.open(appeal)
      _ = try await connection.run(SQL.enqueueCases([(appeal.number, .appeal)], at: appeal.filedAt))
    }
  }

  /// A number's appeals, the oldest first.
  public func appeals(of number: Int64) async throws -> [Appeal] {
    try await pool.run(SQL.readAppealsOf(number: number))
  }

  /// All open appeals, the oldest first.
  public func open() async throws -> [Appeal] {
    try await pool.run(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer, is_objection
      FROM appeals
      WHERE state = 'open' ORDER BY filed_at, number, appeal_id
      """, decode: SQL.decodeAppeal)
  }

  /// Open appeals after a cursor, the oldest first.
  public func openPage(after place: AppealCursor?, limit: Int) async throws -> [Appeal] {
    try await pool.run(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer, is_objection
      FROM appeals
      WHERE state = 'open'
        AND ($1::timestamptz IS NULL OR (filed_at, number, appeal_id) > ($1::timestamptz, $2::bigint, $3::uuid))
      ORDER BY filed_at, number, appeal_id LIMIT $4::bigint
      """,
      place?.time, place?.number, place?.id, Int64(limit), decode: SQL.decodeAppeal)
  }

  /// Answered appeals before a cursor, the newest answer first.
  public func answered(before place: AppealCursor?, limit: Int) async throws -> [Appeal] {
    try await pool.run(
      """
      SELECT appeal_id, number, state, statement, filed_at, answered_by, answered_at, answer, is_objection
      FROM appeals
      WHERE state <> 'open'
        AND ($1::timestamptz IS NULL OR (answered_at, number, appeal_id) < ($1::timestamptz, $2::bigint, $3::uuid))
      ORDER BY answered_at DESC, number DESC, appeal_id DESC LIMIT $4::bigint
      """,
      place?.time, place?.number, place?.id, Int64(limit), decode: SQL.decodeAppeal)
  }

  public func openCount() async throws -> Int64 {
    try await pool.run("SELECT count(*) FROM appeals WHERE state = 'open'") { try $0.decode(0, as: Int64.self) }.first
      ?? 0
  }

  public func status(of ticket: AppealTicket, at time: Date) async throws -> AppealStatus? {
    try await pool.withConnection { connection in
      guard let filing = try await connection.run(SQL.findFiling(ticketHash: ticket.hash)).first,
        var appeal = try await connection.run(SQL.readAppealsOf(number: filing.number)).first(where: {
          $0.id == filing.appealID
        })
      else { return nil }
      appeal.statement = filing.statement
      appeal.filedAt = filing.filedAt
      return AppealStatus(
        appeal: appeal.shownToOwner(at: time), answerTime: try await Self.usualAnswerTime(on: connection),
        listing: try await connection.run(SQL.readListing(number: filing.number)).first,
        isVictim: try await Self.victims(at: time, numbers: [filing.number], on: connection).contains(filing.number),
        decision: try await connection.run(SQL.readStandingDecision(number: filing.number)).first?.treatment)
    }
  }

  /// The median time from filing to answer, in seconds; nil where too few appeals were answered.
  public func usualAnswerTime() async throws -> TimeInterval? {
    try await pool.withConnection { try await Self.usualAnswerTime(on: $0) }
  }

  private static func usualAnswerTime(on connection: PostgresConnection) async throws -> TimeInterval? {
    median(
      try await connection.run(
        """
        SELECT extract(epoch FROM answered_at - filed_at)::double precision FROM appeals
        WHERE state <> 'open' ORDER BY answered_at DESC, number DESC, appeal_id DESC LIMIT $1::bigint
        """,
        Int64(observedAnswers)
      ) { try $0.decode(0) })
  }

  /// The median, unless there are too few values to say anything.
  private static func median(_ values: [TimeInterval]) -> TimeInterval? {
    Observations.suffice(values.count) ? values.sorted()[values.count / 2] : nil
  }

  /// The statements in appeals about a number, the oldest first. For moderators only, since contacts are included.
  public func filings(of number: Int64) async throws -> [FiledStatement] {
    try await pool.run(SQL.readFilings(number: number))
  }

  /// The text of the rejection that was undone last; nil for none, and where another answer followed.
  public func undoneAnswer(of number: Int64) async throws -> String? {
    try await pool.run(SQL.readUndoneAnswer(number: number)).first ?? nil
  }

  /// Deletes contacts of appeals that were answered 30 days ago, origins of filings older than 30 days, and expired
  /// used forms.
  /// - Returns: number of deleted contacts.
  @discardableResult
  public func purge(at time: Date) async throws -> Int {
    try await pool.retrying { connection in
      try await connection.runReportingCount(SQL.purgeStamps(time: time))
      let kept = Double(RetainedData.appealNetworks.days ?? 0) * 86_400
      let origins = try await connection.runReportingCount(SQL.purgeFilingOrigins(before: time - kept))
      let contacts = try await connection.runReportingCount(SQL.purgeContacts(time: time))
      for (kind, rows) in [(RetainedData.appealNetworks, origins), (.contacts, contacts)] where rows > 0 {
        _ = try await connection.run(SQL.recordDeletion(kind: kind.rawValue, time: time, rows: Int64(rows)))
      }
      return contacts
    }
  }

  /// Numbers that are identified and not blocked; see `Spoofing`.
  /// - Parameter numbers: nil for all, by all reports; some are for apps and owners, who see reports only since the next
  ///   publication or day.
  static func victims(
    at time: Date, numbers: [Int64]? = nil, on connection: PostgresConnection
  ) async throws -> Set<Int64> {
    var victims = VictimsOfSpoofing()
    var cut: Date?
    if numbers != nil {
      cut = Explanation.coarseTime(time, published: try await connection.run(SQL.readLatestPublication()).first?.asOf)
    }
    let days = SQL.readAppealedDays(time: time, numbers: numbers, receivedBefore: cut)
    for try await batch in connection.stream(days).batches {
      for day in batch { victims.add(day) }
    }
    return victims.finish()
  }

  /// - Parameter days: grouped by number.
  static func victims(_ days: [AppealedDay]) -> Set<Int64> {
    var victims = VictimsOfSpoofing()
    for day in days { victims.add(day) }
    return victims.finish()
  }
}

/// Collects the days of each number.
private struct VictimsOfSpoofing {
  private var victims = Set<Int64>()
  private var complaints: [Int32: Int] = [:]
  private var last: AppealedDay?

  mutating func add(_ day: AppealedDay) {
    if day.number != last?.number { settle() }
    complaints[day.day] = day.complaints
    last = day
  }

  mutating func finish() -> Set<Int64> {
    settle()
    return victims
  }

  private mutating func settle() {
    guard let last else { return }
    if Spoofing.isVictim(complaintsByDay: complaints, appealDays: last.appealDays) { victims.insert(last.number) }
    complaints = [:]
  }
}

/// The status of an appeal as the holder of its ticket sees it.
public struct AppealStatus: Sendable, Equatable {
  /// The appeal; its statement is the ticket holder's own. A rejection that can be undone is not shown.
  public var appeal: Appeal
  /// The median of the time from filing to answer, in seconds; nil where too few appeals were answered.
  public var answerTime: TimeInterval?
  /// How the newest publication lists the number; nil where it does not.
  public var listing: Explanation.Listing?
  /// Whether the number is identified and not blocked for as long as the appeal is not rejected; see `Spoofing`.
  public var isVictim: Bool
  /// The decision in force, which takes precedence over ``isVictim``; nil for none.
  public var decision: Decision.Treatment?
}

/// One person's statement in an appeal.
public struct FiledStatement: Sendable, Equatable {
  public var appealID: UUID
  public var statement: String
  public var filedAt: Date
  /// Nil where none was given, or it was deleted.
  public var contact: String?
  /// Of the form; nil where it is unknown.
  public var language: String?
}

public struct AppealCursor: Sendable, Equatable {
  /// When the last appeal was filed, or, among answered ones, answered.
  public var time: Date
  public var number: Int64
  public var id: UUID

  public init(time: Date, number: Int64, id: UUID) {
    self.time = time
    self.number = number
    self.id = id
  }
}

extension PostgresConnection {
  /// Stores an appeal, within a transaction, with the event that tells moderators of it. Safe to call again.
  package func open(_ appeal: Appeal) async throws {
    _ = try await run(SQL.fileAppeal(appeal: appeal))
    let event = Event(.appealFiled, id: appeal.id, at: appeal.filedAt, ["number": .text("+\(appeal.number)")])
    _ = try await run(SQL.recordEvent(event, at: appeal.filedAt))
  }
}
