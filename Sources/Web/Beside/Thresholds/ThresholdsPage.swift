import Curation
import Storage

/// Values of the template `thresholds`.
struct ThresholdsPage: Encodable {
  /// A threshold in the table.
  struct Row: Encodable {
    let category: String
    let slug: String
    let country: String
    let code: String
    let cells: [Cell]
  }

  /// An imported list in the table.
  struct ListRow: Encodable {
    let name: String
    let cells: [Cell]
  }

  /// A figure under its column's name, which a narrow window shows beside it.
  struct Cell: Encodable {
    let column: String
    let figure: String

    /// - Parameter columns: names of texts, as many as figures.
    static func all(_ columns: [String], _ figures: [String], _ texts: Texts) -> [Cell] {
      zip(columns, figures).map { Cell(column: texts("thresholds.\($0)"), figure: $1) }
    }
  }

  struct Version: Encodable {
    let number: Int32
    let savedAt: PageTime
    let savedBy: String
    let reason: String
    let isShown: Bool
  }

  let version: Version
  let isNewest: Bool
  let hasPreview: Bool
  let hasSaved: Bool
  let rows: [Row]
  let lists: [ListRow]
  let versions: [Version]

  init(
    version: ThresholdVersion, set: ThresholdSet, history: [ThresholdVersion], lists: [App], hasPreview: Bool,
    hasSaved: Bool, _ texts: Texts
  ) {
    self.version = Version(version, isShown: true, texts)
    isNewest = version.version == history.first?.version
    self.hasPreview = hasPreview
    self.hasSaved = hasSaved
    rows = set.thresholds.map { threshold in
      Row(
        category: texts.category(threshold.category), slug: threshold.category.slug,
        country: threshold.country.map(texts.country) ?? texts("thresholds.everywhere"), code: threshold.country ?? "",
        cells: Cell.all(
          ["heat", "evidence", "confidence", "reporters", "networks", "days", "watch"],
          ThresholdForm.names.map { texts.plain(threshold[field: $0]) }.paired(), texts))
    }
    let names = Dictionary(lists.map { ($0.id, $0.name) }) { first, _ in first }
    self.lists = set.sources.map { rule in
      ListRow(
        name: rule.appID == SourceRule.everyList
          ? texts("thresholds.every-list") : names[rule.appID] ?? "\(rule.appID)",
        cells: Cell.all(
          ["weight", "complaints", "days"],
          [
            texts.plain(rule.weight),
            "\(texts.number(rule.enter.complaints)) / \(texts.number(rule.leave.complaints))",
            "\(rule.enter.days) / \(rule.leave.days)",
          ], texts))
    }
    versions = history.map { Version($0, isShown: $0.version == version.version, texts) }
  }
}

extension ThresholdsPage.Version {
  init(_ version: ThresholdVersion, isShown: Bool, _ texts: Texts) {
    number = version.version
    savedAt = PageTime(version.savedAt)
    savedBy = version.savedBy
    reason = texts.thresholdReason(version.reason)
    self.isShown = isShown
  }
}

extension [String] {
  /// What it takes to be listed and what it takes to stay, in one cell: `3 / 1.5`; the last one alone.
  fileprivate func paired() -> [String] {
    stride(from: 0, to: count - 1, by: 2).map { "\(self[$0]) / \(self[$0 + 1])" } + suffix(1)
  }
}
