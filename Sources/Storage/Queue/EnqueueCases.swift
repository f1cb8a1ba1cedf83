// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation
import PhoneNumbers
public import PostgreSQL

/// Restores the case that a decision had ended; the row is marked stale, so that the next round evaluates it.
struct RestoreCase: PostgresStatement {
  typealias Row = Void
  let number: Int64
  let item: DecidedCase

  static let sql = """
    INSERT INTO queue AS q (number, causes, urgency, country, since, level, stale) VALUES ($1, $2, $3, $4, $5, $6, true)
    ON CONFLICT (number) DO UPDATE SET
      causes = q.causes | excluded.causes, since = least(q.since, excluded.since),
      level = greatest(q.level, excluded.level), stale = true, version = q.version + 1
    """

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(number)
    parameters.append(item.causes.rawValue)
    parameters.append(Urgency.of(QueueFacts(level: item.level, since: item.since), causes: item.causes))
    parameters.append(RegionMap.countries.region(of: number) ?? "")
    parameters.append(item.since)
    parameters.append(item.level)
  }
}

/// Adds numbers to the queue, or a cause to existing cases, in the transaction that creates the cause.
///
/// The statement knows only the cause: the row is marked stale, and the next round of `QueueStore.evaluate` evaluates it,
/// or deletes it where no cause holds.
public struct EnqueueCases: PostgresStatement {
  /// The statement returns no rows.
  public typealias Row = Void
  private let numbers: [Int64]
  private let causes: [Int16]
  private let urgencies: [Int64]
  private let countries: [String]
  private let time: Date

  /// - Parameters:
  ///   - cases: a number may come with several causes.
  ///   - time: the start of the wait, for numbers without a case.
  public init(_ cases: [(number: Int64, cause: QueueCause)], at time: Date) {
    let byNumber = Dictionary(grouping: cases, by: \.number).mapValues { QueueCauses($0.map(\.cause)) }
    let sorted = byNumber.sorted { $0.key < $1.key }
    numbers = sorted.map(\.key)
    causes = sorted.map(\.value.rawValue)
    urgencies = sorted.map { Urgency.of(QueueFacts(since: time), causes: $0.value) }
    countries = sorted.map { RegionMap.countries.region(of: $0.key) ?? "" }
    self.time = time
  }

  /// The statement's text.
  public static let sql = """
    INSERT INTO queue AS q (number, causes, urgency, country, since, stale)
    SELECT t.number, t.causes, t.urgency, t.country, $5::timestamptz, true
    FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::text[]) AS t (number, causes, urgency, country)
    ORDER BY t.number
    ON CONFLICT (number) DO UPDATE SET
      causes = q.causes | excluded.causes, stale = true, version = q.version + 1
    """

  /// Binds the parameters in the order of the text.
  public func bind(into parameters: inout PostgresParameters) {
    parameters.append(numbers)
    parameters.append(causes)
    parameters.append(urgencies)
    parameters.append(countries)
    parameters.append(time)
  }
}
