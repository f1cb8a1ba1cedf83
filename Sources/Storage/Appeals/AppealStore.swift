// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
public import PostgreSQL

/// Appeals of the owners of numbers, and their answers.
public struct AppealStore: Sendable {
  let pool: PostgresPool
  let reviews: ReviewPolicy

  /// - Parameters:
  ///   - pool: where appeals are kept.
  ///   - reviews: the decisions that another moderator reviews.
  public init(pool: PostgresPool, reviews: ReviewPolicy = .standard) {
    self.pool = pool
    self.reviews = reviews
  }

  /// Files an appeal. Safe to call again.
  public func file(_ appeal: Appeal) async throws {
    try await pool.retrying { _ = try await $0.run(SQL.fileAppeal(appeal: appeal)) }
  }

  /// Answers an appeal, or changes the answer.
  /// - Returns: whether there is such an appeal.
  public func answer(_ appeal: Appeal) async throws -> Bool {
    try await pool.retrying { try await !$0.run(SQL.answerAppeal(appeal: appeal)).isEmpty }
  }

  /// A number's appeals, the oldest first.
  public func appeals(of number: Int64) async throws -> [Appeal] {
    try await pool.run(SQL.readAppealsOf(number: number))
  }

  /// All open appeals, the oldest first.
  public func open() async throws -> [Appeal] {
    try await pool.run(SQL.readAllOpenAppeals())
  }

  /// Whether a number is identified and not blocked; see `Spoofing`.
  public func isVictim(_ number: Int64, at time: Date) async throws -> Bool {
    try await pool.withConnection { connection in
      try await Self.victims(at: time, numbers: [number], on: connection).contains(number)
    }
  }

  /// - Parameter numbers: nil for all.
  static func victims(
    at time: Date, numbers: [Int64]? = nil, on connection: PostgresConnection
  ) async throws -> Set<Int64> {
    var victims = VictimsOfSpoofing()
    for try await batch in connection.stream(SQL.readAppealedDays(time: time, numbers: numbers)).batches {
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
