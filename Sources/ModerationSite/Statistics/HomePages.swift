// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Publishing
import Storage

/// `/moderation`: the start page with today's figures.
struct HomePages: Sendable {
  let figures: StatisticsStore
  let firstSteps: FirstStepsStore
  let appeals: AppealStore
  let publications: PublicationStore
  let sources: SourceStore
  let remediations: RemediationStore
  let arrivals: ArrivalCache
  let pseudonymizer: Pseudonymizer
  let schedule: CurrentSchedule
  /// Whether this server can publish.
  let canOrder: Bool
  let pages: PageRenderer

  /// Days of the charts.
  static let days = Int(RemediationFigures.shownDays)

  @Sendable func home(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let now = Date()
    let days = try await figures.days(Self.days, until: now)
    let all = try await sources.list()
    let suspended = all.filter(\.isSuspended).map(\.name)
    let (texts, role, latest) = (
      pages.texts(context), context.moderator?.role ?? .triage, try await publications.latest()
    )
    let steps = try await firstSteps.read()
    let charts = [
      (StatisticsStore.Statistic.decisions, true), (.waiting, false), (.oldest, false), (.reports, true),
      (.listed, false),
    ]
    let arrived = try await arrivals.byDay(since: days[0].day, until: now)
    let stopped = try await UsefulnessPages.figures(of: remediations, pseudonymizer, onlyDays: true, at: now)
    return try pages.page(
      "home",
      [
        // A sentence for roles that decide about numbers.
        "suspended": suspended.isEmpty || role < .moderator
          ? "" : texts("home.suspended", ["sources": suspended.joined(separator: ", ")]),
        "failing": role < .moderator ? [] : all.compactMap { Self.failing($0, texts) },
        "sourcesLink": Navigation.link(SourcePages.address, for: role),
        "steps": steps.isUnfinished ? Self.steps(steps, role, texts) : [],
        "reasons": Self.reasons(steps, texts),
        "tiles": Self.tiles(
          days.last, waiting: context.waiting.own, appeals: try await appeals.openCount(), role, texts),
        "charts": [DayChart.record("arrived", days.map { ($0.day, arrived[$0.number] ?? 0) }, isSum: true, texts)]
          + charts.map { statistic, isSum in
            let name = statistic == .oldest ? "oldest" : statistic.rawValue
            return DayChart.record(name, days.map { ($0.day, $0[statistic]) }, isSum: isSum, texts)
          } + [Self.chart(of: stopped, role, texts)],
        "published": latest.map { PageTime($0.publishedAt, texts) },
        "serial": latest.map { texts.number($0.serial) } ?? "",
        "next": schedule.value.map { PageTime($0.next(after: now), texts) },
        // Whether the reader can publish on a page.
        "canOrder": canOrder && role >= .administrator,
      ], context)
  }

  /// The calls that were blocked, of days whose counts are complete.
  private static func chart(of figures: RemediationFigures, _ role: Role, _ texts: Localizer) -> TemplateRecord {
    let days = figures.days.map { day in
      (day: Date(timeIntervalSince1970: Double(day.day) * 86_400), value: max(0, day.stopped))
    }
    let most = figures.days.map(\.error).max() ?? 0
    return DayChart.record("stopped", days, isSum: true, texts).adding([
      "note": most > 0
        ? texts("home.stopped-error", ["error": texts.number(figures.error), "day": texts.number(most)]) : "",
      // A low role may not open it.
      "link": role >= .moderator ? UsefulnessPages.address : "", "open": texts("usefulness.title"),
    ])
  }

  /// The way to the first list: the steps that are left and that the reader can take, with their page and command.
  private static func steps(_ steps: FirstSteps, _ role: Role, _ texts: Localizer) -> [TemplateRecord] {
    FirstSteps.Step.allCases.filter { !steps.done.contains($0) }.compactMap { step in
      let (link, command) =
        switch step {
        case .protection: ("/moderation/protected", "ringfence protect catalog")
        case .source: ("/moderation/sources", "ringfence sources catalog")
        case .app: ("/moderation/apps", "ringfence app create NAME")
        case .report: ("/docs", "")
        case .publication: ("/moderation/publications", "ringfence publish")
        case .moderator: ("/moderation/accounts", "ringfence sign-in-link NAME --role moderator")
        }
      // Commands need access to the server's data.
      let (page, order) = (Navigation.link(link, for: role), role >= .administrator ? command : "")
      guard !page.isEmpty || !order.isEmpty else { return nil }
      return [
        "name": texts("home.step-\(step.rawValue)"), "link": page, "open": texts("home.step-\(step.rawValue)-open"),
        "command": order,
      ]
    }
  }

  /// A source that fails, with its rows; nil for others.
  private static func failing(_ source: Source, _ texts: Localizer) -> String? {
    guard let failure = source.failure else { return nil }
    let rejected = source.state.rejected
    return texts(
      "home.failing",
      [
        "source": source.name, "failure": texts.parts("sources.failure", failure).0,
        "entries": texts.number(source.state.entries), "rejected": texts.number(rejected.count),
        "rows": texts.number(rejected.rows),
      ])
  }

  /// Why nothing is listed; what a step says is left out.
  private static func reasons(_ steps: FirstSteps, _ texts: Localizer) -> [TemplateRecord] {
    let known: [EmptyListReason] = [.noSource, .noApp, .noReport]
    return steps.reasons.filter { !known.contains($0) }.map { reason in
      [
        "text": texts.message("home.reason", reason),
        "link": reason.cause.map { "/moderation/queue?cause=\($0.rawValue)" } ?? "",
      ]
    }
  }

  private static func tiles(
    _ today: DailyStatistics?, waiting: Int, appeals: Int64, _ role: Role, _ texts: Localizer
  ) -> [TemplateRecord] {
    [
      ("waiting", Int64(waiting), "/moderation/queue"), ("appeals", appeals, "/moderation/appeals"),
      ("held", today?[.held] ?? 0, "/moderation/queue?cause=held"),
      ("ranges", today?[.ranges] ?? 0, "/moderation/ranges"),
      ("reports", today?[.reports] ?? 0, "/moderation/search"),
      ("decisions", today?[.decisions] ?? 0, "/moderation/queue"),
      ("listed", today?[.listed] ?? 0, "/moderation/publications"),
    ].map { name, figure, link in
      .tile("home.tile-\(name)", figure, texts).adding(["link": Navigation.link(link, for: role)])
    }
  }
}

/// A bar chart by day, drawn on the server, with a table of its figures.
enum DayChart {
  private static let (width, height, left, top, bottom) = (640.0, 180.0, 48.0, 10.0, 22.0)

  /// - Parameters:
  ///   - name: the end of the title's key, and of `id`.
  ///   - isSum: whether the sum over the days is meaningful.
  static func record(
    _ name: String, _ days: [(day: Date, value: Int64)], isSum: Bool, _ texts: Localizer
  ) -> TemplateRecord {
    let most = ceiling(days.map(\.value).max() ?? 0)
    let plot = height - top - bottom
    let step = (width - left) / Double(max(1, days.count))
    func tall(_ value: Int64) -> Double { plot * Double(value) / Double(max(1, most)) }
    return [
      "name": name, "title": texts("home.chart-\(name)"),
      "bars": days.enumerated().map { index, day in
        [
          "x": number(left + step * Double(index) + step * 0.15), "y": number(top + plot - tall(day.value)),
          "width": number(step * 0.7), "height": number(tall(day.value)), "day": texts.day(day.day),
          "figure": texts.number(day.value),
        ] as TemplateRecord
      },
      "lines": (most == 0 ? [0] : [0, most / 2, most]).map { value in
        ["y": number(top + plot - tall(value)), "figure": texts.number(value)] as TemplateRecord
      },
      "first": days.first.map { texts.day($0.day) } ?? "", "last": days.last.map { texts.day($0.day) } ?? "",
      "total": texts.number(isSum ? days.reduce(0) { $0 + $1.value } : days.last?.value ?? 0),
      "isEmpty": days.allSatisfy { $0.value == 0 }, "note": "", "link": "",
    ]
  }

  /// The smallest of 2, 4, 10, 20, 40, 100… that is at least the value, so that half of it is an integer.
  static func ceiling(_ value: Int64) -> Int64 {
    guard value > 0 else { return 0 }
    var size: Int64 = 1
    while true {
      for step in [2, 4, 10] as [Int64] where step * size >= value { return step * size }
      size *= 10
    }
  }

  private static func number(_ value: Double) -> String { PlainNumber.fixed(value, places: 1) }
}

/// Caches the arrivals of cases by day for a minute, because the query reads the audit log of these days.
actor ArrivalCache {
  private let team: TeamStore
  private var known: (since: Date, at: ContinuousClock.Instant, arrived: [Int32: Int64])?

  init(team: TeamStore) {
    self.team = team
  }

  /// The cases that arrived, by the number of their day.
  func byDay(since: Date, until: Date) async throws -> [Int32: Int64] {
    if let known, known.since == since, ContinuousClock.now - known.at < .seconds(60) { return known.arrived }
    let arrived = try await team.flow(since: since, until: until).arrived
    known = (since, ContinuousClock.now, arrived)
    return arrived
  }
}
