// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Localization
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

/// A bar chart by day, drawn on the server; a table beside it has the same figures.
struct DayChart: Encodable {
  struct Bar: Encodable {
    let x: String
    let y: String
    let width: String
    let height: String
    let day: String
    let figure: String
  }

  /// A horizontal line with its figure.
  struct Line: Encodable {
    let y: String
    let figure: String
  }

  let name: String
  let title: String
  let bars: [Bar]
  let lines: [Line]
  let first: String
  let last: String
  let total: String
  let isEmpty: Bool

  private static let (width, height, left, top, bottom) = (640.0, 180.0, 48.0, 10.0, 22.0)

  /// - Parameters:
  /// - name: for `id`.
  /// - isSum: whether the sum over the days is meaningful.
  init(name: String, title: String, days: [(day: Date, value: Int64)], isSum: Bool, _ texts: Localizer) {
    self.name = name
    self.title = title
    let top = Self.ceiling(days.map(\.value).max() ?? 0)
    let plot = Self.height - Self.top - Self.bottom
    let step = (Self.width - Self.left) / Double(max(1, days.count))
    bars = days.enumerated().map { index, day in
      let height = plot * Double(day.value) / Double(max(1, top))
      return Bar(
        x: Self.number(Self.left + step * Double(index) + step * 0.15), y: Self.number(Self.top + plot - height),
        width: Self.number(step * 0.7), height: Self.number(height), day: texts.day(day.day),
        figure: texts.number(day.value))
    }
    lines = (top == 0 ? [0] : [0, top / 2, top]).map { value in
      let y = Self.top + plot - plot * Double(value) / Double(max(1, top))
      return Line(y: Self.number(y), figure: texts.number(value))
    }
    first = days.first.map { texts.day($0.day) } ?? ""
    last = days.last.map { texts.day($0.day) } ?? ""
    total = isSum ? texts.number(days.reduce(0) { $0 + $1.value }) : texts.number(days.last?.value ?? 0)
    isEmpty = days.allSatisfy { $0.value == 0 }
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
