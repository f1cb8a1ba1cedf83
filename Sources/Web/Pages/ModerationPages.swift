import Timestamps
import Curation
import Foundation
import Hummingbird
import Intake
import PhoneNumbers
import Storage

/// The numbers that wait for a moderator's eye, and what is known of one.
struct ModerationPages: Sendable {
  let numbers: NumberStore
  let pages: PageRenderer

  /// Rows of the list.
  static let rows = 100

  @Sendable func watched(_ request: Request, context: WebContext) async throws -> Response {
    let rows = try await numbers.watched(at: Date(), limit: Self.rows).map(WatchedRow.init)
    return pages.page("watched", WatchedPage(moderator: context.moderator?.name ?? "", rows: rows))
  }

  @Sendable func number(_ request: Request, context: WebContext) async throws -> Response {
    guard let digits = context.parameters.get("number", as: Int64.self), let number = PhoneNumber(digits: digits) else {
      throw Problem.notFound
    }
    let now = Date()
    let standing = try await numbers.standing(of: number.digits)
    let thresholds = try await numbers.thresholds()
    return pages.page(
      "number",
      NumberPage(
        moderator: context.moderator?.name ?? "", number: number, standing: standing, thresholds: thresholds, now: now))
  }
}

/// Values of the template `watched`.
struct WatchedPage {
  let moderator: String
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
  let reporters: Int32
  let last: String
  let lastReadable: String
  let state: String

  init(_ watched: WatchedNumber) {
    let phone = PhoneNumber(digits: watched.number)
    digits = watched.number
    number = phone?.formatted(.international) ?? "+\(watched.number)"
    region = phone?.region ?? "–"
    category = watched.category.label
    heat = Figure.decimal(watched.heat)
    confidence = Figure.percent(watched.confidence)
    reports = watched.reports
    reporters = watched.reporters
    last = Timestamp.format(watched.lastReportedAt)
    lastReadable = "\(last.prefix(10)) \(last.dropFirst(11).prefix(5)) UTC"
    state = watched.isListed ? "listed" : "watched"
  }
}

/// Values of the template `number`.
struct NumberPage {
  struct Part {
    let category: String
    let heat: String
    let evidence: String
    let reports: Int64
    let reporters: Int32
  }

  let moderator: String
  let number: String
  let national: String
  let region: String
  let parts: [Part]
  let verdict: String

  init(moderator: String, number: PhoneNumber, standing: Standing, thresholds: [Threshold], now: Date) {
    self.moderator = moderator
    self.number = number.formatted(.international)
    national = number.formatted(.national)
    region = number.region ?? "no country"
    parts = standing.parts.sorted { $0.heat > $1.heat }.map { part in
      Part(
        category: part.category.label,
        heat: Figure.decimal(Decay.heat.value(ofMass: part.heat, at: now)),
        evidence: Figure.decimal(Decay.evidence.value(ofMass: part.evidence, at: now)),
        reports: part.reports, reporters: part.reporters)
    }
    verdict = Self.verdict(on: standing, thresholds: thresholds, now: now)
  }

  private static func verdict(on standing: Standing, thresholds: [Threshold], now: Date) -> String {
    guard let leading = standing.leading, let threshold = thresholds.first(where: { $0.category == leading }) else {
      return "Nobody has complained of it."
    }
    let heat = Figure.decimal(Decay.heat.value(ofMass: standing.heat, at: now))
    let confidence = Figure.percent(standing.confidence(at: now))
    let isListed = threshold.lists(standing, at: now)
    return """
      \(isListed ? "Listed" : "Not listed") as \(leading.label): heat \(heat) in all where \(Figure.decimal(threshold.heat)) \
      is needed, confidence \(confidence) where \(Figure.percent(threshold.confidence)) is needed.
      """
  }
}

/// Figures as people read them.
enum Figure {
  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }
  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
