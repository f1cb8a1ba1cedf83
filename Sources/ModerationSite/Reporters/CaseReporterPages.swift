// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import PhoneNumbers
import Storage

/// `/moderation/numbers/{number}/reporters`: the track records of a number's reporters, and other numbers with the same
/// reporters or the same comment. A page of its own, because it reads all reports of 30 days.
struct CaseReporterPages: Sendable {
  let cases: CaseStore
  let pages: PageRenderer

  /// The most other numbers.
  private static let related = 50

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (number, texts) = (try context.number, pages.texts(context))
    let found = try await cases.reporters(of: number.digits, at: Date())
    let networks = Dictionary(found.reports.map { ($0.reporter, $0.networks) }) { $0.union($1) }
    return try pages.page(
      "number-reporters",
      [
        "digits": number.digits, "number": number.formatted(.international),
        "rows": found.reporters.map { reporter in
          [
            "name": reporter.pseudonym, "category": texts.category(reporter.category),
            "weight": texts.decimal(Double(reporter.weight), places: 2),
            "since": reporter.since.map { PageTime($0, texts) },
            "agreed": texts.number(reporter.agreed), "disagreed": texts.number(reporter.judged - reporter.agreed),
            "bursts": texts.number(reporter.bursts), "isCaught": reporter.bursts > 0,
            "networks": texts.number(networks[reporter.reporter]?.count ?? 0),
          ] as TemplateRecord
        },
        "comment": found.comment, "isLimited": found.reporters.count == CaseStore.comparedReporters,
        "related": Self.related(found, besides: number.digits, texts),
      ], context)
  }

  private static func related(
    _ found: CaseReporters, besides number: Int64, _ texts: Localizer
  ) -> [TemplateRecord] {
    let own = Set(found.reporters.map(\.reporter))
    var counts: [Int64: (shared: Int, alike: Int)] = [:]
    for reports in found.reports where reports.number != number {
      if own.contains(reports.reporter) { counts[reports.number, default: (0, 0)].shared += 1 }
      if reports.hasComment { counts[reports.number, default: (0, 0)].alike += 1 }
    }
    let ranked = counts.sorted { ($1.value.shared, $1.value.alike, $0.key) < ($0.value.shared, $0.value.alike, $1.key) }
    return ranked.prefix(Self.related).map { number, count in
      [
        "digits": number, "number": NumberText.text(number), "alike": texts.number(count.alike),
        "shared": texts("reporters.shared", ["part": texts.number(count.shared), "all": texts.number(own.count)]),
      ]
    }
  }
}
