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
    let rows = try await numbers.watched(at: Date(), limit: Self.rows, country: Self.country).map(WatchedRow.init)
    return pages.page("watched", WatchedPage(moderator: context.moderator?.name ?? "", rows: rows))
  }

  @Sendable func number(_ request: Request, context: WebContext) async throws -> Response {
    guard let digits = context.parameters.get("number", as: Int64.self), let number = PhoneNumber(digits: digits) else {
      throw Problem.notFound
    }
    let now = Date()
    let standing = try await numbers.standing(of: number.digits)
    let record = try await numbers.record(of: number.digits)
    let thresholds = try await numbers.thresholds()
    let judgement = record.map { record in
      Score(record, at: now).judge(by: thresholds, in: Circumstances(), country: { Self.country(number.digits) })
    }
    return pages.page(
      "number",
      NumberPage(
        moderator: context.moderator?.name ?? "", number: number, standing: standing, judgement: judgement, now: now))
  }

  private static func country(_ digits: Int64) -> String? { RegionMap.countries.region(of: digits) }
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
  let reporters: Int
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

  init(moderator: String, number: PhoneNumber, standing: Standing, judgement: Judgement?, now: Date) {
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
    verdict = judgement.flatMap(Self.verdict) ?? "Nobody has complained of it."
  }

  private static func verdict(on judgement: Judgement) -> String? {
    guard let category = judgement.category, judgement.threshold != nil else { return nil }
    let conditions = judgement.conditions.map { condition in
      let figure = condition.kind == .confidence ? Figure.percent : Figure.decimal
      return "\(condition.kind.rawValue) \(figure(condition.have)) where \(figure(condition.need)) is needed"
    }
    return """
      \(judgement.meetsThreshold ? "Listed" : "Not listed") as \(category.label): \(conditions.joined(separator: ", ")).
      """
  }
}

/// Figures as people read them.
enum Figure {
  static func decimal(_ value: Double) -> String { String(format: "%.1f", value) }
  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
