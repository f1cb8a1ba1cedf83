// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Curation
public import Foundation
public import PostgreSQL

/// Appeals of the owners of numbers, and their answers.
public struct AppealStore: Sendable {
  let pool: PostgresPool

  /// The number of the last answers that the usual time of an answer is taken from, and the minimum.
  private static let (observedAnswers, minAnswers) = (200, 30)

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
    values.count < minAnswers ? nil : values.sorted()[values.count / 2]
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

/// The code that a person who appealed receives; it opens the page with the answer.
///
/// 160 random bits in 32 unambiguous characters. Only the hash is stored.
public struct AppealTicket: Sendable, Equatable {
  /// 32 characters of `ABCDEFGHJKMNPQRSTVWXYZ0123456789`, in groups of eight with `-` between.
  public let code: String

  /// Of the key for stamps and tickets.
  public static let purpose = "appeals"

  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A new random ticket.
  public init() {
    var generator = SystemRandomNumberGenerator()
    let characters = (0..<32).map { _ in Self.letters[Int(generator.next() & 31)] }
    code = Self.grouped(characters)
  }

  /// The ticket for a form's stamp. A form that is sent twice gets the same ticket; without the key it cannot be computed.
  /// - Parameter key: that all servers share.
  public init?(stamp: [UInt8], key: some ContiguousBytes) {
    let code = HMAC<SHA256>.authenticationCode(for: Data("ticket ".utf8) + Data(stamp), using: SymmetricKey(data: key))
    self.init(bytes: Array(code.prefix(20)))
  }

  /// The ticket of 20 bytes, which must be unpredictable.
  /// - Returns: nil for another count of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 20 else { return nil }
    var (characters, bits, count): ([Character], Int, Int) = ([], 0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 5 {
        count -= 5
        characters.append(Self.letters[bits >> count & 31])
      }
      bits &= 31
    }
    code = Self.grouped(characters)
  }

  /// A typed ticket: spaces, dashes and the case of letters are ignored.
  /// - Returns: nil when the text is not a ticket.
  public init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let characters = text.uppercased().filter { $0 != "-" && $0 != " " }.map { character -> Character in
      switch character {
      case "O": "0"
      case "I", "L": "1"
      default: character
      }
    }
    guard characters.count == 32, characters.allSatisfy({ Self.letters.contains($0) }) else { return nil }
    code = Self.grouped(characters)
  }

  /// SHA-256 of the code, 32 bytes; only this is stored.
  public var hash: [UInt8] { Array(SHA256.hash(data: Data(code.utf8))) }

  private static func grouped(_ characters: [Character]) -> String {
    stride(from: 0, to: 32, by: 8).map { String(characters[$0..<$0 + 8]) }.joined(separator: "-")
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
