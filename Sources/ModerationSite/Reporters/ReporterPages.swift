// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
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
    return try pages.page(
      "reporters",
      ReportersPage(
        isJudged: isJudged, counts: try await reporters.counts(), rows: rows.map { ReporterRow($0, texts) },
        next: next, texts), context)
  }
}

/// Values of the template `reporters`.
struct ReportersPage: Encodable {
  struct Tile: Encodable {
    let name: String
    let figure: String
  }

  let isJudged: Bool
  let tiles: [Tile]
  let recountedAt: [PageTime]
  let rows: [ReporterRow]
  let next: String

  init(isJudged: Bool, counts: ReporterCounts, rows: [ReporterRow], next: String, _ texts: Localizer) {
    self.isJudged = isJudged
    tiles = [
      ("known", counts.known), ("established", counts.established), ("judged", counts.judged),
      ("caught", counts.caught),
    ].map { Tile(name: texts("reporters.tile-\($0.0)"), figure: texts.number($0.1)) }
    recountedAt = counts.recountedAt.map { [PageTime($0, texts)] } ?? []
    self.rows = rows
    self.next = next
  }
}

/// A row of the list.
struct ReporterRow: Encodable {
  /// The first eight hex digits of the pseudonym, enough to distinguish reporters.
  let name: String
  let since: PageTime
  let standing: String
  let numbers: String
  let judged: String
  let accuracy: String
  let bursts: String
  let isCaught: Bool
  let weight: String

  init(_ line: ReporterLine, _ texts: Localizer) {
    let record = line.record
    name = Hexadecimal.text(record.reporter.bytes.prefix(4))
    since = PageTime(record.firstReceivedAt, texts)
    standing = texts(line.isEstablished ? "reporters.established" : "reporters.newcomer")
    numbers = texts.number(record.numbers)
    judged = record.judged == 0 ? "–" : "\(texts.number(record.agreed)) / \(texts.number(record.judged))"
    accuracy =
      record.judged < ReporterWeight.leastJudged
      ? "–" : texts.percent(ReporterWeight.accuracy(agreed: record.agreed, judged: record.judged))
    bursts = texts.number(record.brigades)
    isCaught = record.brigades > 0
    weight = texts.decimal(line.weight, places: 2)
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
    guard parts.count == 2, let rank = Int32(parts[0]), parts[1].utf8.count == 32 else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[1]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    self.init(rank: rank, reporter: Reporter(bytes))
  }
}
