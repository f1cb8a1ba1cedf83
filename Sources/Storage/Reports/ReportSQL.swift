// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

/// SQL that several statements about reports share.
enum ReportSQL {
  /// The comparison of the stored report `r` with the new `i` of the same app and id; see ``outcome(_:)``.
  ///
  /// The network is not compared: a retry may come through a different one. A comment that was purged cannot be compared.
  static let state = """
    CASE WHEN r.number = i.number AND r.reported_at = i.reported_at AND r.category_id = i.category_id
           AND r.reporter IS NOT DISTINCT FROM i.reporter
           AND (r.comment IS NOT DISTINCT FROM i.comment OR r.comment_purged_at IS NOT NULL)
         THEN CASE WHEN r.withdrawn_at IS NULL THEN 1 ELSE 2 END
         ELSE 3 END
    """

  static func outcome(_ state: Int32) -> ReportOutcome {
    switch state {
    case 1: .duplicate
    case 2: .withdrawn
    default: .conflict
    }
  }

  /// The weight of a reporter: the own one of an established reporter; for others the weight of the rule of the app, or of
  /// every app, in the thresholds in force, times the accuracy.
  /// - Parameters:
  ///   - row: with the columns reporter and app_id.
  ///   - newcomer: placeholder of a newcomer's weight, the unit of the stored weights of reporters who are not established.
  static func reporterWeight(of row: String, newcomer: String, in tables: TableNames = .schema) -> String {
    let own = "(SELECT w.weight FROM \(tables["reporter_weights"]) w WHERE w.reporter = \(row).reporter)"
    let rule = "coalesce(\(newcomerWeight(of: row, in: tables)), \(newcomer)::real)"
    return """
      coalesce(
        (SELECT w.weight FROM \(tables["reporter_weights"]) w JOIN \(tables["reporters"]) s ON s.reporter = w.reporter
         WHERE w.reporter = \(row).reporter AND s.is_established),
        \(weight(rule: rule, own: own, newcomer: newcomer)))
      """
  }

  /// The weight of a reporter who is not established.
  /// - Parameter own: the stored weight; NULL for none.
  static func weight(rule: String, own: String, newcomer: String) -> String {
    "least(1, \(rule) * coalesce(\(own) / \(newcomer)::real, 1))"
  }

  /// Joins, because Citus refuses sub-selects within the sub-select.
  private static func newcomerWeight(of row: String, in tables: TableNames) -> String {
    """
    (SELECT CASE d.level WHEN \(AttestationLevel.hardware.rawValue) THEN a.hardware
                         WHEN \(AttestationLevel.software.rawValue) THEN a.software ELSE a.unattested END
     FROM \(tables["threshold_versions"]) v
     LEFT JOIN \(tables["attestation_rules"]) a ON a.version = v.version AND a.app_id IN (0, \(row).app_id)
     LEFT JOIN \(tables["attested_reporters"]) d ON d.reporter = \(row).reporter
     ORDER BY v.version DESC, a.app_id DESC NULLS LAST LIMIT 1)
    """
  }

  /// The order of a reporter's reports on a number; the first one is the vote.
  static let newestFirst = "reported_at DESC, received_at DESC, category_id DESC, weight DESC"

  /// Sums of changes for a group, as stored values; see ``Decay/storedSum(of:at:)``.
  static func storedSums(origin: String, heat: String, evidence: String) -> String {
    """
    \(decayedSum(origin, heat)) AS heat, \(decayedSum(origin, evidence)) AS evidence, sum(reports)::bigint AS reports,
    sum(reporters)::integer AS reporters
    """
  }

  private static func decayedSum(_ origin: String, _ timeConstant: String) -> String {
    "sum(weight * exp(date_part('epoch', reported_at - \(origin)::timestamptz) / \(timeConstant)::float8))"
  }

  /// A number's sums over its categories: heat, evidence, legitimate, reports, reporters.
  static let sums = """
    coalesce(sum(heat) FILTER (WHERE toxic), 0), coalesce(sum(evidence) FILTER (WHERE toxic), 0),
    coalesce(sum(evidence) FILTER (WHERE NOT toxic), 0), sum(reports)::bigint, sum(reporters)::integer
    """

  /// Whether a report counts as a complaint: not "legitimate", and with a weight above 0.
  static let complains = "(category_id NOT IN (\(notToxic)) AND weight > 0)"

  private static let notToxic = ReportCategory.allCases.filter { !$0.isToxic }.map { "\($0.rawValue)" }
    .joined(separator: ", ")

  /// Reports with their UTC day, whether they are complaints, whether they count, and the newest counted day of their
  /// number's reporters.
  ///
  /// A reporter's day is the day of arrival, because the sender chooses the time in the report. A list's day is the one in
  /// its file, which arrives at once. Lists are joined, because a sub-select of all lists reads `apps` completely for each
  /// report: ``SQL/useIndexes()`` forbids that.
  /// - Parameters:
  ///   - table: name of the reports, with number, app_id, reporter, category_id, reported_at, received_at and weight.
  ///   - condition: a further condition for a complaint to count.
  static func withDays(
    _ table: String, countedIf condition: String = "true", in tables: TableNames = .schema
  ) -> String {
    """
    SELECT *, max(day) FILTER (WHERE counts AND reporter IS NOT NULL) OVER (PARTITION BY number) AS newest
    FROM (
      SELECT \(table).*, (CASE WHEN reporter IS NULL OR apps.is_list THEN reported_at
                               ELSE received_at END AT TIME ZONE 'UTC')::date AS day, \(complains) AS complains,
             \(complains) AND \(condition) AS counts
      FROM \(table) LEFT JOIN \(tables["apps"]) apps ON apps.app_id = \(table).app_id
    ) said_on
    """
  }

  /// last_day, day_bits and network_bits of each of those reports; see ``ComplaintDays`` and ``NetworkSketch``.
  static let marks = """
    CASE WHEN counts AND reporter IS NOT NULL THEN newest END AS last_day,
    CASE WHEN counts AND reporter IS NOT NULL THEN \(dayBit("day", before: "newest")) END AS day_bits,
    CASE WHEN counts THEN \(networkBit) END AS network_bits
    """

  /// The bit of a report's network; NULL where it is not known.
  static let networkBit = "1::bigint << (get_byte(network, 0) & 63)"

  /// Whether a report's network may have set a bit although it is not known any more: networks are deleted after a while.
  /// Rows of lists have none.
  static let hadNetwork = "(network IS NULL AND reporter IS NOT NULL)"

  /// Whether bits of networks are more than reports can have set.
  /// - Parameters:
  ///   - bits: those to check.
  ///   - known: bits of the reports whose networks are known.
  ///   - unknown: how many other reports may have set one each.
  static func areTooManyNetworks(_ bits: String, known: String, unknown: String) -> String {
    "(bit_count((\(bits))::bit(64)) > bit_count((\(known))::bit(64)) + \(unknown))"
  }

  /// The same for a group of them.
  static let gatheredMarks = """
    max(last_day) AS last_day, coalesce(bit_or(day_bits), 0) AS day_bits,
    coalesce(bit_or(network_bits), 0) AS network_bits
    """

  /// The counts and sums of each list about a number: number, app_id, complaints, heat, evidence, day_bits, last_day.
  /// - Parameters:
  ///   - table: reports as returned by ``withDays(_:countedIf:)``.
  ///   - origin: placeholder of the origin of decay; `heat` and `evidence` placeholders of their time constants.
  static func lists(of table: String, origin: String, heat: String, evidence: String) -> String {
    """
    SELECT number, app_id, (count(*) FILTER (WHERE counts))::integer AS complaints,
           coalesce(\(decayedSum(origin, heat)) FILTER (WHERE counts), 0) AS heat,
           coalesce(\(decayedSum(origin, evidence)) FILTER (WHERE counts), 0) AS evidence,
           coalesce(bit_or(\(dayBit("day", before: "newest"))) FILTER (WHERE counts), 0) AS day_bits,
           max(newest) AS last_day
    FROM (
      SELECT number, app_id, counts, day, weight, reported_at,
             max(day) FILTER (WHERE counts) OVER (PARTITION BY number, app_id) AS newest
      FROM \(table) WHERE reporter IS NULL
    ) of_lists
    GROUP BY number, app_id
    """
  }

  /// The day bits of two rows merged: the older ones are shifted to the newer last day. Without a last day there are no
  /// bits.
  static func mergedDays(_ one: String, _ other: String) -> String {
    func shifted(_ row: String) -> String {
      let distance = "(greatest(\(one).last_day, \(other).last_day) - \(row).last_day)"
      return "CASE WHEN \(distance) < 64 THEN \(row).day_bits << \(distance) ELSE 0 END"
    }
    return "\(shifted(one)) | \(shifted(other))"
  }

  /// Adds new sums to a row of number_categories `c`.
  static let addToCategory = """
    ON CONFLICT (number, category_id) DO UPDATE SET
      heat = greatest(0, c.heat + excluded.heat), evidence = greatest(0, c.evidence + excluded.evidence),
      reports = c.reports + excluded.reports, reporters = c.reporters + excluded.reporters
    """

  /// Adds new sums to a row of numbers `n`.
  static let addToNumber = """
    ON CONFLICT (number) DO UPDATE SET
      heat = greatest(0, n.heat + excluded.heat), evidence = greatest(0, n.evidence + excluded.evidence),
      legitimate = greatest(0, n.legitimate + excluded.legitimate),
      reports = n.reports + excluded.reports, reporters = n.reporters + excluded.reporters,
      first_reported_at = least(n.first_reported_at, excluded.first_reported_at),
      last_reported_at = greatest(n.last_reported_at, excluded.last_reported_at),
      day_bits = \(mergedDays("n", "excluded")), last_day = greatest(n.last_day, excluded.last_day),
      network_bits = n.network_bits | excluded.network_bits,
      last_received_at = greatest(n.last_received_at, excluded.last_received_at)
    """

  /// Adds new sums to a row of number_sources `s`.
  static let addToList = """
    ON CONFLICT (number, app_id) DO UPDATE SET
      complaints = s.complaints + excluded.complaints, heat = s.heat + excluded.heat,
      evidence = s.evidence + excluded.evidence,
      day_bits = \(mergedDays("s", "excluded")), last_day = greatest(s.last_day, excluded.last_day)
    """

  private static func dayBit(_ day: String, before newest: String) -> String {
    "CASE WHEN \(newest) - \(day) < 64 THEN 1::bigint << (\(newest) - \(day)) ELSE 0 END"
  }
}

/// $1 to $6: the columns that every batch of reports has.
struct ReportColumns: PostgresBindable {
  let reports: [Report]

  func bind(into parameters: inout PostgresParameters) {
    parameters.append(reports.map(\.number))
    parameters.append(reports.map(\.appID))
    parameters.append(reports.map(\.reportID))
    parameters.append(reports.map(\.reportedAt))
    parameters.append(reports.map(\.category.rawValue))
    parameters.append(reports.map(\.reporter))
  }
}
