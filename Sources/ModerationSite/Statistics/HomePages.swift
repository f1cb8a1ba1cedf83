// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Localization
import Foundation
import Hummingbird
import Storage

/// `/moderation`: the start page with today's figures.
struct HomePages: Sendable {
  let figures: StatisticsStore
  let appeals: AppealStore
  let publications: PublicationStore
  let sources: SourceStore
  let next: @Sendable (Date) -> Date?
  /// Whether this server can publish.
  let canOrder: Bool
  let pages: PageRenderer

  /// Days of the charts.
  static let days = 30

  @Sendable func home(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let now = Date()
    let days = try await figures.days(Self.days, until: now)
    let suspended = try await sources.list().filter(\.isSuspended).map(\.name)
    let page = HomePage(
      suspended: suspended,
      days: days, waiting: context.waiting.own, appeals: try await appeals.openCount(),
      latest: try await publications.latest(), next: next(now), role: context.moderator?.role ?? .triage,
      canOrder: canOrder, pages.texts(context))
    return try pages.page("home", page, context)
  }
}

/// Values of the template `home`.
struct HomePage: Encodable {
  struct Tile: Encodable {
    let name: String
    let figure: String
    /// Empty where the reader may not open it.
    let link: String
  }

  /// The sentence about suspended sources; empty where there are none, and for roles that do not decide about numbers.
  let suspended: String
  /// The page of sources; empty for roles that may not open it.
  let sourcesLink: String
  let tiles: [Tile]
  let charts: [DayChart]
  let published: [PageTime]
  let serial: String
  let next: [PageTime]
  /// Whether the reader can publish on a page.
  let canOrder: Bool

  init(
    suspended: [String], days: [DailyStatistics], waiting: Int, appeals: Int64, latest: Publication?, next: Date?,
    role: Role, canOrder: Bool, _ texts: Localizer
  ) {
    self.suspended =
      suspended.isEmpty || role < .moderator
      ? "" : texts("home.suspended", ["sources": suspended.joined(separator: ", ")])
    sourcesLink = Navigation.link(SourcePages.address, for: role)
    let today = days.last
    tiles = [
      ("waiting", Int64(waiting), "/moderation/queue"), ("appeals", appeals, "/moderation/appeals"),
      ("held", today?[.held] ?? 0, "/moderation/queue?cause=held"),
      ("ranges", today?[.ranges] ?? 0, "/moderation/ranges"),
      ("reports", today?[.reports] ?? 0, "/moderation/search"),
      ("decisions", today?[.decisions] ?? 0, "/moderation/queue"),
      ("listed", today?[.listed] ?? 0, "/moderation/publications"),
    ].map { name, figure, link in
      Tile(name: texts("home.tile-\(name)"), figure: texts.number(figure), link: Navigation.link(link, for: role))
    }
    charts = [(StatisticsStore.Statistic.reports, true), (.decisions, true), (.listed, false)].map { statistic, isSum in
      DayChart(
        name: statistic.rawValue, title: texts("home.chart-\(statistic.rawValue)"),
        days: days.map { ($0.day, $0[statistic]) },
        isSum: isSum, texts)
    }
    published = latest.map { [PageTime($0.publishedAt, texts)] } ?? []
    serial = latest.map { texts.number($0.serial) } ?? ""
    self.canOrder = canOrder && role >= .administrator
    self.next = next.map { [PageTime($0, texts)] } ?? []
  }
}
