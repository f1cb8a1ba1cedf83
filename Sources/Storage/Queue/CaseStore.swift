// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// The data of one number for the page of its case, and the notes of moderators.
public struct CaseStore: Sendable {
  private let pool: PostgresPool

  /// Groups of comments on a page.
  public static let comments = 20
  /// The most reporters on a page.
  public static let reporters = 20
  /// The most numbers of the same block of 100 on a page.
  public static let neighbours = 20
  /// Days in the chart.
  public static let days = 64
  /// The most characters of a note.
  public static let noteLength = 2_000

  /// - Parameter pool: where everything is kept.
  public init(pool: PostgresPool) {
    self.pool = pool
  }

  /// All data of a number, from one snapshot as far as `ExplanationStore.explain` states.
  /// - Parameter before: the cursor of the page of comments; nil for the first.
  public func read(_ number: Int64, commentsBefore before: CommentPlace? = nil, at time: Date) async throws -> CaseFile
  {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    let neighbours = pipeline.add(SQL.readNeighbours(number: number, limit: Self.neighbours))
    let range = pipeline.add(SQL.readRangeAround(number: number))
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
    let results = try await pool.snapshot(pipeline)
    let known = try await question.answer(results, pool: pool)
    return CaseFile(
      explanation: known.explanation, item: try results.rows(item).first, passes: try results.rows(passes),
      decisions: known.decisions, hold: known.hold, appeals: known.appeals, names: try results.rows(names),
      protectedNeighbour: try results.rows(protected).first,
      concentration: try results.rows(concentration).first ?? CaseConcentration(),
      newestSerial: try results.rows(newest).first?.serial, comments: try results.rows(comments),
      reporters: try results.rows(reporters),
      neighbours: try results.rows(neighbours), days: try results.rows(days), notes: try results.rows(notes),
      range: try results.rows(range).first)
  }

  /// The data for checking a decision: why a number is listed or not, earlier decisions, the oldest first, its case
  /// where it has one, and the rule for blocking it; see `ExplanationStore.explain`.
  public func brief(
    _ number: Int64, at time: Date
  ) async throws -> (explanation: Explanation, decisions: [DecisionEvent], item: QueueCase?, blockRule: BlockRule) {
    var pipeline = PostgresPipeline()
    let question = ExplanationQuery(number, at: time, in: &pipeline)
    let item = pipeline.add(SQL.readCase(number: number))
    let names = pipeline.add(SQL.readDirectoryNames(number: number))
    let protected = pipeline.add(SQL.readProtectedNeighbour(number: number))
    let results = try await pool.snapshot(pipeline)
    let known = try await question.answer(results, pool: pool)
    let rule = BlockRule(
      isNamed: try !results.rows(names).isEmpty, hasProtectedNeighbour: try !results.rows(protected).isEmpty)
    return (known.explanation, known.decisions, try results.rows(item).first, rule)
  }

  /// Adds a note about a number, for moderators only. Safe to call again with the same id.
  /// - Throws: `RuleViolation` for a note that is blank or too long; `PostgresError`.
  public func note(_ text: String, about number: Int64, id: UUID, by worker: QueueWorker, at time: Date) async throws {
    let note = try RuleViolation.text(text, "note", atMost: Self.noteLength)
    try await pool.transaction { connection in
      let add = SQL.addNote(number: number, id: id, account: worker.account, note: note, time: time)
      guard try await !connection.run(add).isEmpty else { return }
      let event = worker.event("note.add", number, after: ["note": note])
      _ = try await connection.run(SQL.appendAuditEvent(event, at: time))
    }
  }

  private static let newest = CommentPlace(
    count: .max, reportedAt: Date(timeIntervalSinceReferenceDate: .infinity),
    reportID: UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)))
}
