// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Storage
import Support

/// `/moderation/transparency`, and `/transparency` if the operator wants it: the transparency report of a year.
struct TransparencyPages: Sendable {
  let transparency: TransparencyStore
  let pseudonymizer: Pseudonymizer
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (texts, now) = (pages.texts(context), Date())
    let present = Int(Timestamp.format(now).prefix(4)) ?? 0
    // Statements of earlier years are deleted; see RetainedData.
    let years = present - 1...present
    let year = Int(request.query("year")).flatMap { years.contains($0) ? $0 : nil } ?? present
    let report = try await transparency.report(
      of: Self.start(year)..<Self.start(year + 1), at: now, bits: pseudonymizer.secret(for:))
    return try pages.page(
      "transparency",
      [
        "year": "\(year)",
        "years": years.reversed().map {
          TemplateRecord.choice("\($0)", "\($0)", isChosen: $0 == year)
        },
        "tables": TransparencyTable.all(of: report, texts).map { table in
          [
            "title": table.title, "columns": table.columns,
            "rows": table.rows.map { row in
              let cells = zip(table.columns, row).map { ["column": $0, "text": $1] as TemplateRecord }
              return ["cells": cells] as TemplateRecord
            },
          ] as TemplateRecord
        },
      ], context)
  }

  private static func start(_ year: Int) -> Date { Timestamp.parse("\(year)-01-01T00:00:00Z") ?? .distantPast }
}
