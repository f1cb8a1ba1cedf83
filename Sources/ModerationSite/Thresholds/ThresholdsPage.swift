// SPDX-License-Identifier: Apache-2.0

import Localization
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
    let list: Int32
    let name: String
    /// Whether the list has its own rule, or the row is the default for lists without one.
    let isOwn: Bool
    let cells: [Cell]
  }

  /// A value with its column's name, which a narrow window shows beside it.
  struct Cell: Encodable {
    let column: String
    let figure: String

    static func all<Rule: FieldwiseRule>(_ rule: Rule, _ texts: Localizer) -> [Cell] {
      zip(Rule.lines, rule.cells(texts)).map { Cell(column: texts("thresholds.\($0.kind)"), figure: $1) }
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
    hasSaved: Bool, _ texts: Localizer
  ) {
    self.version = Version(version, isShown: true, texts)
    isNewest = version.version == history.first?.version
    self.hasPreview = hasPreview
    self.hasSaved = hasSaved
    rows = set.thresholds.map { threshold in
      Row(
        category: texts.category(threshold.category), slug: threshold.category.slug,
        country: threshold.country.map(texts.country) ?? texts("thresholds.everywhere"), code: threshold.country ?? "",
        cells: Cell.all(threshold, texts))
    }
    self.lists = ([SourceRule.everyList] + lists.map(\.id)).map { list in
      ListRow(
        list: list, name: SourceRule.name(of: list, among: lists, texts) ?? "\(list)",
        isOwn: set.own(list: list) != nil, cells: Cell.all(set.rule(ofList: list), texts))
    }
    versions = history.map { Version($0, isShown: $0.version == version.version, texts) }
  }
}

extension ThresholdsPage.Version {
  init(_ version: ThresholdVersion, isShown: Bool, _ texts: Localizer) {
    number = version.version
    savedAt = PageTime(version.savedAt, texts)
    savedBy = version.savedBy
    reason = version.reason ?? texts("thresholds.shipped")
    self.isShown = isShown
  }
}
