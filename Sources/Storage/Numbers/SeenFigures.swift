// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// SQL of what apps see of reports: all of lists, and of reporters the reports that arrived before the last publication or
/// day. The others are subtracted from the stored sums, because a recount would miss reports that were dropped.
private enum SeenSQL {
  /// CTEs `vote` and `replaced`: the votes that apps do not see yet, and those before them.
  /// - Parameters:
  ///   - numbers: a condition on `number`.
  ///   - since: placeholder of the time.
  static func votes(of numbers: String, since: String) -> String {
    """
    vote AS MATERIALIZED (
      SELECT number, reporter, category_id, reported_at, weight FROM number_reporters
      WHERE \(numbers) AND received_at >= \(since)
    ), replaced AS (
      SELECT DISTINCT ON (r.number, r.reporter) r.number, r.category_id, r.reported_at, r.weight
      FROM (SELECT * FROM reports WHERE \(numbers)) r JOIN vote v ON v.number = r.number AND v.reporter = r.reporter
      WHERE r.received_at < \(since) AND r.withdrawn_at IS NULL
      ORDER BY r.number, r.reporter, r.reported_at DESC, r.received_at DESC, r.category_id DESC, r.weight DESC
    )
    """
  }

  /// After these CTEs: the change of a number's reporters and sums for each vote.
  static let changes = """
    SELECT number, category_id, reported_at, -weight AS weight, 0 AS reports,
           CASE WHEN weight > 0 THEN -1 ELSE 0 END AS reporters, -1 AS votes, weight AS full_weight, false AS is_seen
    FROM vote
    UNION ALL
    SELECT number, category_id, reported_at, weight, 0, CASE WHEN weight > 0 THEN 1 ELSE 0 END, 1, weight, false
    FROM replaced
    """

  /// CTEs to `unseen`: what to add to the sums of numbers.
  static func sums(of numbers: String, since: String, origin: String, heat: String, evidence: String) -> String {
    """
    \(votes(of: numbers, since: since)), unseen_category AS (
      SELECT number, toxic, \(ReportSQL.storedSums(origin: origin, heat: heat, evidence: evidence))
      FROM (\(changes)) change JOIN categories USING (category_id) GROUP BY number, category_id, toxic
    ), unseen (number, heat, evidence, legitimate, reports, reporters) AS (
      SELECT number, \(ReportSQL.sums) FROM unseen_category GROUP BY number
    )
    """
  }
}

/// The change of a category of a number that gives the figures that apps see.
struct UnseenPart: Sendable {
  let part: NumberAggregate.Part
  let weights: Explanation.Weights
  /// Whether apps see a report of the category, withdrawn or not.
  let isSeen: Bool
  /// Of reports that apps do not see.
  let unseen: (first: Date?, last: Date?)
  /// Of reports that apps see.
  let seen: (first: Date?, last: Date?)
}

/// The days and networks of complaints that apps see.
struct SeenMarks: Sendable {
  let days: ComplaintDays
  let networks: UInt64
  /// Networks of reports that apps do not see.
  let unseenNetworks: UInt64
}

extension SQL {
  /// The change of the figures of a number that gives those before the reports that arrived since a time.
  static func readUnseenParts(number: Int64, since: Date) -> Statement<UnseenPart> {
    Statement(
      """
      WITH \(SeenSQL.votes(of: "number = $1", since: "$2")), change AS (
        \(SeenSQL.changes)
        UNION ALL
        SELECT number, category_id, reported_at, 0, CASE WHEN withdrawn_at IS NULL AND NOT is_seen THEN -1 ELSE 0 END,
               0, 0, 0, is_seen
        FROM (SELECT *, reporter IS NULL OR received_at < $2 AS is_seen FROM reports WHERE number = $1) report
      )
      SELECT category_id, \(ReportSQL.storedSums(origin: "$3", heat: "$4", evidence: "$5")),
             coalesce(sum(votes) FILTER (WHERE full_weight >= 1), 0),
             coalesce(sum(votes) FILTER (WHERE full_weight > 0 AND full_weight < 1), 0),
             coalesce(sum(votes) FILTER (WHERE full_weight = $6::double precision), 0),
             coalesce(sum(votes) FILTER (WHERE full_weight <= 0), 0),
             bool_or(is_seen), min(reported_at) FILTER (WHERE votes = 0 AND NOT is_seen),
             max(reported_at) FILTER (WHERE votes = 0 AND NOT is_seen), min(reported_at) FILTER (WHERE is_seen),
             max(reported_at) FILTER (WHERE is_seen)
      FROM change GROUP BY category_id
      """,
      number, since, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant, ReporterWeight.newcomer
    ) { row in
      UnseenPart(
        part: NumberAggregate.Part(
          category: try row.category(0), heat: try row.decode(1), evidence: try row.decode(2),
          reports: try row.decode(3), reporters: try row.decode(4)),
        weights: Explanation.Weights(
          full: Int(try row.decode(5, as: Int64.self)), partial: Int(try row.decode(6, as: Int64.self)),
          new: Int(try row.decode(7, as: Int64.self)), none: Int(try row.decode(8, as: Int64.self))),
        isSeen: try row.decode(9), unseen: (try row.decode(10), try row.decode(11)),
        seen: (try row.decode(12), try row.decode(13)))
    }
  }

  /// The days and networks of a number's complaints before those that arrived since a time.
  static func readSeenMarks(number: Int64, since: Date) -> Statement<SeenMarks> {
    Statement(
      """
      WITH report AS (
        SELECT number, app_id, category_id, reported_at, received_at, weight, network, reporter
        FROM reports WHERE number = $1 AND withdrawn_at IS NULL AND (reporter IS NULL OR received_at < $2)
      ), said AS (
        \(ReportSQL.withDays("report"))
      ), mark (last_day, day_bits, network_bits) AS (
        SELECT \(ReportSQL.marks) FROM said
      ), known AS (
        SELECT \(ReportSQL.gatheredMarks) FROM mark
      )
      SELECT last_day - DATE '1970-01-01', day_bits, network_bits, (
          SELECT coalesce(bit_or(\(ReportSQL.networkBit)), 0) FROM reports
          WHERE number = $1 AND reporter IS NOT NULL AND received_at >= $2 AND network IS NOT NULL
            AND withdrawn_at IS NULL AND category_id IN (SELECT category_id FROM categories WHERE toxic))
      FROM known
      """,
      number, since
    ) { row in
      SeenMarks(
        days: ComplaintDays(bits: try row.bits(1), lastDay: try row.decode(0)), networks: try row.bits(2),
        unseenNetworks: try row.bits(3))
    }
  }

  /// The sums of some numbers before the reports that arrived since a time.
  static func readSeenSums(
    numbers: [Int64], since: Date
  ) -> Statement<(number: Int64, heat: Double, evidence: Double, legitimate: Double)> {
    let unseen = SeenSQL.sums(
      of: "number = ANY($1::bigint[])", since: "$2", origin: "$3", heat: "$4", evidence: "$5")
    return Statement(
      """
      WITH \(unseen)
      SELECT n.number, greatest(0, n.heat + coalesce(u.heat, 0)), greatest(0, n.evidence + coalesce(u.evidence, 0)),
             greatest(0, n.legitimate + coalesce(u.legitimate, 0))
      FROM numbers n LEFT JOIN unseen u ON u.number = n.number WHERE n.number = ANY($1::bigint[])
      """,
      numbers, since, Decay.origin, Decay.heat.timeConstant, Decay.evidence.timeConstant
    ) { (try $0.decode(0), try $0.decode(1), try $0.decode(2), try $0.decode(3)) }
  }

  /// CTEs to `unseen`: what to add to the sums of listed numbers to get those before the reports since $4. $5 to $7 are
  /// the constants of decay.
  static let unseenSumsOfListings = """
    recent AS MATERIALIZED (
      SELECT n.number FROM numbers n JOIN listings l ON l.number = n.number WHERE n.last_received_at >= $4
    ), \(SeenSQL.sums(
      of: "number IN (SELECT number FROM recent)", since: "$4", origin: "$5", heat: "$6", evidence: "$7"))
    """
}

extension NumberRecord {
  /// Removes reports that apps do not see yet; returns false where they see none.
  ///
  /// A deleted network may have set the same bit as a new one: then there is one network less until the next
  /// publication or day.
  mutating func remove(_ unseen: [UnseenPart], marks: SeenMarks?) -> Bool {
    for change in unseen {
      guard let index = standing.parts.firstIndex(where: { $0.category == change.part.category }) else { continue }
      var part = standing.parts[index]
      part.reports = max(0, part.reports + change.part.reports)
      part.reporters = max(0, part.reporters + change.part.reporters)
      part.heat = part.reports == 0 ? 0 : max(0, part.heat + change.part.heat)
      part.evidence = part.reports == 0 ? 0 : max(0, part.evidence + change.part.evidence)
      standing.parts[index] = part
    }
    let hidden = Set(unseen.filter { !$0.isSeen }.map(\.part.category))
    standing.parts.removeAll { $0.reports == 0 && hidden.contains($0.category) }
    if let marks {
      days = marks.days
      networks = NetworkSketch(bits: networks.bits & ~marks.unseenNetworks | marks.networks)
    }
    let (firstSeen, lastSeen) = (unseen.compactMap(\.seen.first).min(), unseen.compactMap(\.seen.last).max())
    if let firstSeen, let first = unseen.compactMap(\.unseen.first).min(), let stored = firstReportedAt, first <= stored
    {
      firstReportedAt = firstSeen
    }
    if let lastSeen, let last = unseen.compactMap(\.unseen.last).max(), let stored = lastReportedAt, last >= stored {
      lastReportedAt = lastSeen
    }
    return !standing.parts.isEmpty
  }
}
