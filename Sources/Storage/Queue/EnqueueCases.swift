// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Foundation
import PhoneNumbers
package import PostgreSQL

extension SQL {
  /// Restores the case that a decision had ended; the row is marked stale, so that the next round evaluates it.
  static func restoreCase(number: Int64, item: DecidedCase) -> Statement<Void> {
    Statement(
      """
      INSERT INTO queue AS q (number, causes, urgency, country, since, level, stale) VALUES ($1, $2, $3, $4, $5, $6, true)
      ON CONFLICT (number) DO UPDATE SET
        causes = q.causes | excluded.causes, since = least(q.since, excluded.since),
        level = greatest(q.level, excluded.level), stale = true, version = q.version + 1
      """,
      number, item.causes.rawValue, Urgency.of(QueueFacts(level: item.level, since: item.since), causes: item.causes),
      RegionMap.countries.region(of: number) ?? "", item.since, item.level)
  }

  /// Adds numbers to the queue, or a cause to existing cases, in the transaction that creates the cause.
  ///
  /// The statement knows only the cause: the row is marked stale, and the next round of `QueueStore.evaluate` evaluates it,
  /// or deletes it where no cause holds.
  /// - Parameters:
  ///   - cases: a number may come with several causes.
  ///   - time: the start of the wait, for numbers without a case.
  package static func enqueueCases(_ cases: [(number: Int64, cause: QueueCause)], at time: Date) -> Statement<Void> {
    let byNumber = Dictionary(grouping: cases, by: \.number).mapValues { QueueCauses($0.map(\.cause)) }
    let sorted = byNumber.sorted { $0.key < $1.key }
    return Statement(
      """
      INSERT INTO queue AS q (number, causes, urgency, country, since, stale)
      SELECT t.number, t.causes, t.urgency, t.country, $5::timestamptz, true
      FROM unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::text[]) AS t (number, causes, urgency, country)
      ORDER BY t.number
      ON CONFLICT (number) DO UPDATE SET
        causes = q.causes | excluded.causes, stale = true, version = q.version + 1
      """,
      sorted.map(\.key), sorted.map(\.value.rawValue),
      sorted.map { Urgency.of(QueueFacts(since: time), causes: $0.value) },
      sorted.map { RegionMap.countries.region(of: $0.key) ?? "" }, time)
  }
}
