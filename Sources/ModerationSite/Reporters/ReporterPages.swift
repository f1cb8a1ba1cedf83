// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Foundation
import Hummingbird
import Storage

/// `/moderation/reporters`: the weights of reporters and their reasons. Pages show pseudonyms only, and no reports.
struct ReporterPages: Sendable {
  let reporters: ReporterStore
  let pages: PageRenderer

  static let address = "/moderation/reporters"
  static let rows = 50

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let isJudged = request.query("list") == "judged"
    let place = ReporterCursor(text: request.query("after"))
    let found =
      isJudged
      ? try await reporters.judged(after: place, limit: Self.rows + 1)
      : try await reporters.caught(after: place, limit: Self.rows + 1)
    let rows = found.prefix(Self.rows)
    var next = ""
    if found.count > Self.rows, let last = rows.last {
      next = Query.address(
        Self.address, ["list": isJudged ? "judged" : "", "after": ReporterCursor(last, isJudged: isJudged).text])
    }
    let texts = pages.texts(context)
    let counts = try await reporters.counts()
    let tiles = [
      ("known", counts.known), ("established", counts.established), ("judged", counts.judged),
      ("caught", counts.caught),
    ]
    return try pages.page(
      "reporters",
      [
        "isJudged": isJudged, "tiles": tiles.map { TemplateRecord.tile("reporters.tile-\($0.0)", $0.1, texts) },
        "recountedAt": counts.recountedAt.map { PageTime($0, texts) }, "rows": rows.map { $0.record(texts) },
        "next": next,
      ], context)
  }
}

extension ReporterLine {
  /// A row of the list. The name is the first eight hex digits of the pseudonym, enough to distinguish reporters.
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "name": Hexadecimal.text(record.reporter.bytes.prefix(4)), "since": PageTime(record.firstReceivedAt, texts),
      "standing": texts(isEstablished ? "reporters.established" : "reporters.newcomer"),
      "numbers": texts.number(record.numbers),
      "judged": record.judged == 0 ? "–" : "\(texts.number(record.agreed)) / \(texts.number(record.judged))",
      "accuracy": record.judged < max(ReporterWeight.minJudged, Observations.min)
        ? "–" : texts.percent(ReporterWeight.accuracy(agreed: record.agreed, judged: record.judged)),
      "bursts": texts.number(record.brigades), "isCaught": record.brigades > 0,
      "weight": texts.decimal(weight, places: 2),
    ]
  }
}

extension ReporterCursor {
  init(_ line: ReporterLine, isJudged: Bool) {
    self.init(rank: Int32(isJudged ? line.record.judged : line.record.brigades), reporter: line.record.reporter)
  }

  /// The cursor in an address.
  var text: String { "\(rank)_\(Hexadecimal.text(reporter.bytes))" }

  init?(text: String) {
    let parts = text.split(separator: "_")
    guard parts.count == 2, let rank = Int32(parts[0]), let bytes = Hexadecimal.bytes(parts[1]), bytes.count == 16
    else { return nil }
    self.init(rank: rank, reporter: Reporter(bytes))
  }
}
