// SPDX-License-Identifier: Apache-2.0

package import Curation

/// The tables of a transparency report, for pages and files.
package struct TransparencyTable: Sendable {
  package let title: String
  package let columns: [String]
  package let rows: [[String]]

  package static func all(of report: TransparencyReport, _ texts: Localizer) -> [TransparencyTable] {
    func text(_ key: String) -> String { texts("transparency.\(key)") }
    func groups(_ title: String, _ groups: [TransparencyReport.Group]) -> TransparencyTable {
      TransparencyTable(
        title: text(title), columns: ["category", "treatment", "automation", "count"].map(text),
        rows: groups.map { group in
          [
            ReportCategory(slug: group.category).map(texts.category) ?? text("no-category"),
            text(group.treatment.rawValue), text(group.automated ? "automated" : "by-person"),
            texts.number(group.count),
          ]
        } + [[text("total"), "", "", texts.number(groups.reduce(0) { $0 + $1.count })]])
    }
    func figures(_ title: String, _ rows: [(String, String)]) -> TransparencyTable {
      TransparencyTable(title: text(title), columns: [text("figure"), text("count")], rows: rows.map { [$0.0, $0.1] })
    }
    let appeals = report.appeals
    return [
      figures(
        "activity",
        [
          (text("reports"), texts.number(report.reports)), (text("reversals"), texts.number(report.reversals)),
          (text("expired"), texts.number(report.expired)),
          (text("stopped"), report.stopped.map { "\(texts.number($0.calls)) ± \(texts.number($0.error))" } ?? "–"),
        ]),
      groups("listings", report.listings), groups("decisions", report.decisions),
      figures(
        "appeals",
        [
          (text("filed"), texts.number(appeals.filed)), (text("objections"), texts.number(appeals.objections)),
          (text("upheld"), texts.number(appeals.upheld)), (text("rejected"), texts.number(appeals.rejected)),
          (text("undone"), texts.number(appeals.undone)),
          (text("median"), appeals.medianSeconds.map { texts.decimal($0 / 3_600, places: 1) } ?? "–"),
        ]),
      figures(
        "reviews",
        [
          (text("reviewed"), texts.number(report.reviewed)),
          (text("agreement"), report.agreement.map { texts.decimal($0, places: 2) } ?? "–"),
        ]),
      TransparencyTable(
        title: text("sources"), columns: ["source", "listings", "share", "precision"].map(text),
        rows: report.sources.map { source in
          [
            source.name, texts.number(source.listings), texts.percent(source.share),
            source.precision.map { texts.percent($0) } ?? "–",
          ]
        }),
      figures(
        "rights",
        report.rights.sorted { $0.key < $1.key }.map {
          (texts.find("audit.action.\($0.key)") ?? $0.key, texts.number($0.value))
        }),
    ]
  }
}
