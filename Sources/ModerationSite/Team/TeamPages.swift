// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Storage

/// `/moderation/team`: open cases, decisions, handling times and agreement. Moderators see their own figures,
/// administrators see all accounts.
struct TeamPages: Sendable {
  let team: TeamStore
  let statistics: StatisticsStore
  let reviews: ReviewStore
  /// The longest time that a case should wait.
  let target: TimeInterval
  let pages: PageRenderer

  private static let periods = [7, 30, 90]

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, texts, now) = (try context.worker, pages.texts(context), Date())
    let account = worker.role >= .administrator ? nil : worker.name
    let days = Int(request.query("days")).flatMap { Self.periods.contains($0) ? $0 : nil } ?? 30
    // Complete days, today included.
    let since = ComplaintDays.beginning(of: now) - Double(days - 1) * 86_400
    let figures = try await team.figures(since: since, until: now, of: account)
    let (claims, oldest) = try await team.claims(of: account, at: now)
    let records = try await reviews.records(of: account, since: since)
    let rated = try await reviews.ratedDecisions(since: since)
      .filter { decision in account.map { name in decision.ratings.contains { $0.account == name } } ?? true }
    let totals = figures[.day] ?? []
    let flow = try await team.flow(since: since, until: now, target: target)
    let history = try await statistics.days(days, until: now)
    let decided = flow.decided.values.reduce(0, +)
    let page: TemplateRecord = [
      "isOwn": account != nil,
      "periods": Self.periods.map {
        TemplateRecord.choice("\($0)", texts.count("team.days", $0), isChosen: $0 == days)
      },
      "claims": claims.map { claim in
        [
          "digits": claim.number, "number": NumberText.text(claim.number), "account": claim.account,
          "since": claim.since.map { PageTime($0, texts) },
        ] as TemplateRecord
      },
      "oldest": oldest.map { PageTime($0, texts) },
      "target": texts.number(Int(target / 3_600)), "isLate": oldest.map { now.timeIntervalSince($0) > target } ?? false,
      "total": texts.number(totals.reduce(0) { $0 + $1.decisions }), "min": texts.number(Observations.min),
      "inTime": Observations.suffice(Int(decided)) ? texts.percent(Double(flow.inTime) / Double(decided)) : "",
      "appeals": zip(["1", "3", "7", "more"], flow.appeals).map { age, count in
        ["name": texts("team.appeals-\(age)"), "count": texts.number(count)] as TemplateRecord
      },
      "charts": [
        DayChart.record("arrived", history.map { ($0.day, flow.arrived[$0.number] ?? 0) }, isSum: true, texts),
        DayChart.record("decided", history.map { ($0.day, flow.decided[$0.number] ?? 0) }, isSum: true, texts),
        DayChart.record("oldest", history.map { ($0.day, $0[.oldest]) }, isSum: false, texts),
      ],
      "agreement": AgreementPages.row(texts("reviews.all"), rated, texts),
      "tables": TeamDimension.allCases.filter { $0 != .account || account == nil }.map { dimension in
        let rows = figures[dimension] ?? []
        return [
          "title": texts("team.by-\(dimension.rawValue)"), "name": texts("team.\(dimension.rawValue)"),
          "rows": (dimension == .day ? rows.reversed() : rows).map { $0.record(dimension, records, texts) },
          "isByAccount": dimension == .account,
        ] as TemplateRecord
      },
    ]
    return try pages.page("team", page, context)
  }
}

extension TeamFigures {
  /// A row of a table. Estimates of fewer than ``Observations/min`` decisions are left out.
  fileprivate func record(
    _ dimension: TeamDimension, _ reviewers: [ReviewerRecord], _ texts: Localizer
  ) -> TemplateRecord {
    let reviewer = reviewers.first { $0.account == key }
    let few = texts("reviews.too-few")
    return [
      "name": name(dimension, texts), "decisions": texts.number(decisions),
      "median": Observations.suffice(timed)
        ? texts("team.seconds", ["count": texts.number(Int((median ?? 0).rounded()))]) : few,
      "overturned": Observations.suffice(decisions) ? texts.percent(Double(overturned) / Double(decisions)) : few,
      "confirmed": reviewer.map { texts.part($0.confirmed, of: $0.reviewed) } ?? "–",
    ]
  }

  private func name(_ dimension: TeamDimension, _ texts: Localizer) -> String {
    switch dimension {
    case .day: (try? Date("\(key)T00:00:00Z", strategy: .iso8601)).map { texts.day($0) } ?? key
    case .queue:
      key.isEmpty ? texts("team.no-case") : AuditChange.causes(key, texts)
    case .category: ReportCategory(slug: key).map { texts.category($0) } ?? texts("reviews.no-category")
    case .account: key
    }
  }
}
