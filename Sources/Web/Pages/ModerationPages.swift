import Curation
import Foundation
import Hummingbird
import PhoneNumbers
import Storage

/// The numbers that wait for a moderator's eye, and what is known of one.
struct ModerationPages: Sendable {
  let numbers: NumberStore
  let explanations: ExplanationStore
  let rulings: RulingStore
  let pages: PageRenderer

  /// Rows of the list.
  static let rows = 100

  @Sendable func watched(_ request: Request, context: WebContext) async throws -> Response {
    let rows = try await numbers.watched(at: Date(), limit: Self.rows, country: Self.country)
    let texts = pages.texts(context)
    return pages.page("watched", WatchedPage(rows: rows.map { WatchedRow($0, texts) }), context)
  }

  @Sendable func number(_ request: Request, context: WebContext) async throws -> Response {
    guard let digits = context.parameters.get("number", as: Int64.self), let number = PhoneNumber(digits: digits) else {
      throw Problem.notFound
    }
    let explanation = try await explanations.explain(number.digits, at: Date())
    return pages.page(
      "number",
      NumberPage(
        number: number, explanation: explanation, history: try await rulings.history(of: number.digits),
        texts: pages.texts(context)), context)
  }

  private static func country(_ digits: Int64) -> String? { RegionMap.countries.region(of: digits) }
}

/// Values of the template `watched`.
struct WatchedPage {
  let rows: [WatchedRow]
}

/// A row of it.
struct WatchedRow {
  let digits: Int64
  let number: String
  let region: String
  let category: String
  let heat: String
  let confidence: String
  let reports: Int64
  let reporters: Int
  let last: PageTime
  let state: String
  let stateName: String

  init(_ watched: WatchedNumber, _ texts: Texts) {
    let phone = PhoneNumber(digits: watched.number)
    digits = watched.number
    number = phone?.formatted(.international) ?? "+\(watched.number)"
    region = phone?.region ?? "–"
    category = texts.category(watched.category)
    heat = Figure.decimal(watched.heat)
    confidence = Figure.percent(watched.confidence)
    reports = watched.reports
    reporters = watched.reporters
    last = PageTime(watched.lastReportedAt)
    state = watched.verdict.rawValue
    stateName = texts("verdict.\(state)")
  }
}

/// Figures as people read them.
enum Figure {
  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }
  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
