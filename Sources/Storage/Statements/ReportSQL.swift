import Curation

/// Rules that several statements about reports repeat.
enum ReportSQL {
  /// How the report `r` that is stored compares with `i` of the same app and id that has come; see ``outcome(_:)``.
  ///
  /// A network is no content: a retry may come through another one. A comment that was purged cannot be compared.
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

  /// A reporter's words about a number, the one that stands first.
  static let newestFirst = "reported_at DESC, received_at DESC, category_id DESC, weight DESC"

  /// Sums of changes for a group, with masses as ``Decay/mass(of:at:)`` has them.
  static func masses(origin: String, heat: String, evidence: String) -> String {
    func mass(_ timeConstant: String) -> String {
      "sum(weight * exp(date_part('epoch', reported_at - \(origin)::timestamptz) / \(timeConstant)::float8))"
    }
    return """
      \(mass(heat)) AS heat, \(mass(evidence)) AS evidence, sum(reports)::bigint AS reports,
      sum(reporters)::integer AS reporters
      """
  }

  /// A number's sums from those of its categories: heat, evidence, legitimate, reports, reporters.
  static let sums = """
    coalesce(sum(heat) FILTER (WHERE toxic), 0), coalesce(sum(evidence) FILTER (WHERE toxic), 0),
    coalesce(sum(evidence) FILTER (WHERE NOT toxic), 0), sum(reports)::bigint, sum(reporters)::integer
    """
}
