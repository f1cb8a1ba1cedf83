// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Localization
import PhoneNumbers
import Publishing
import Storage

/// Values of the template `threshold-preview`.
struct ThresholdPreviewPage: Encodable {
  struct Tile: Encodable {
    let name: String
    let figure: String
  }

  /// A category and country in which something changes.
  struct Row: Encodable {
    let category: String
    let country: String
    let added: String
    let taken: String
    let kept: String
  }

  struct Example: Encodable {
    let digits: Int64
    let number: String
    let category: String
    let country: String
    let heat: String
    let evidence: String
    let confidence: String
    let reporters: String
    let days: String
  }

  /// A changed value.
  struct Difference: Encodable {
    let name: String
    let before: String
    let after: String
  }

  /// The maximum number of rows; a sentence sums up the rest.
  static let mostRows = 100

  let id: String
  /// The name of the changed rule.
  let name: String
  /// The text to show if no value changes.
  let noDifference: String
  let differences: [Difference]
  let isRunning: Bool
  let hasFailed: Bool
  let isBroken: Bool
  let isDone: Bool
  let step: String
  let asOf: [PageTime]
  let tiles: [Tile]
  let rows: [Row]
  let more: String
  let added: [Example]
  let taken: [Example]
  let problem: String
  let reason: String

  init(
    _ asked: ThresholdPreviews.Request, _ state: ThresholdPreviews.State, lists: [App], _ texts: Localizer,
    problem: String = "", reason: String = ""
  ) {
    id = asked.id.uuidString
    switch asked.subject {
    case .threshold(let category, let country):
      name = Self.name(of: category, country, texts)
      noDifference = texts(
        country != nil && asked.change.own(category, country: country) != nil
          ? "thresholds.own-no-difference" : "thresholds.no-difference")
      let find = { (set: ThresholdSet) in set.threshold(for: category) { country } }
      differences = Self.differences(find(asked.present), find(asked.change), texts)
    case .list(let list):
      name = SourceRule.name(of: list, among: lists, texts) ?? "\(list)"
      noDifference = texts(
        asked.change.own(list: list) != nil
          ? "thresholds.list-own-no-difference" : "thresholds.list-no-difference")
      differences = Self.differences(asked.present.rule(ofList: list), asked.change.rule(ofList: list), texts)
    }
    self.problem = problem
    self.reason = reason
    var preview: ThresholdPreview?
    var time: Date?
    var step = ""
    switch state {
    case .waiting(let ahead): step = texts.count("thresholds.step-waiting", ahead)
    case .running(let now): step = texts.message("jobs.step", now)
    case .done(let made, let asOf): (preview, time) = (made, asOf)
    case .failed, .broken: break
    }
    self.step = step
    isRunning = !step.isEmpty
    isDone = preview != nil
    if case .broken = state { isBroken = true } else { isBroken = false }
    hasFailed = !isRunning && !isDone && !isBroken
    asOf = time.map { [PageTime($0, texts)] } ?? []
    tiles = preview.map { Self.tiles($0, texts) } ?? []
    let changed = preview?.changes.filter { $0.value.added + $0.value.taken > 0 } ?? [:]
    let sorted = changed.sorted {
      ($0.value.added + $0.value.taken, $1.key.category.rawValue, $1.key.country ?? "")
        > ($1.value.added + $1.value.taken, $0.key.category.rawValue, $0.key.country ?? "")
    }
    rows = sorted.prefix(Self.mostRows).map { kind, change in
      Row(
        category: texts.category(kind.category), country: kind.country.map(texts.country) ?? "–",
        added: texts.number(change.added), taken: texts.number(change.taken), kept: texts.number(change.kept))
    }
    more = sorted.count > Self.mostRows ? texts.count("thresholds.more-kinds", sorted.count - Self.mostRows) : ""
    added = preview?.added.map { Self.example($0, texts) } ?? []
    taken = preview?.taken.map { Self.example($0, texts) } ?? []
  }

  private static func tiles(_ preview: ThresholdPreview, _ texts: Localizer) -> [Tile] {
    let total = preview.total
    return [
      ("now", total.kept + total.taken + preview.fixed), ("then", total.kept + total.added + preview.fixed),
      ("added", total.added), ("taken", total.taken), ("kept", total.kept), ("fixed", preview.fixed),
      ("held", preview.newlyHeld), ("released", preview.released),
    ].map { Tile(name: texts("thresholds.tile-\($0.0)"), figure: texts.number($0.1)) }
  }

  private static func example(_ example: ThresholdPreview.Example, _ texts: Localizer) -> Example {
    Example(
      digits: example.number,
      number: PhoneNumber(digits: example.number)?.formatted(.international) ?? "+\(example.number)",
      category: texts.category(example.kind.category), country: example.kind.country ?? "–",
      heat: texts.decimal(example.score.heat), evidence: texts.decimal(example.score.evidence),
      confidence: texts.percent(example.score.confidence), reporters: texts.number(example.score.reporters),
      days: texts.number(example.score.days))
  }

  static func name(of category: ReportCategory, _ country: String?, _ texts: Localizer) -> String {
    texts(
      "thresholds.preview-of",
      [
        "category": texts.category(category),
        "country": country.map(texts.country) ?? texts("thresholds.everywhere"),
      ])
  }

  private static func differences<Rule: FieldwiseRule>(_ before: Rule?, _ after: Rule?, _ texts: Localizer)
    -> [Difference]
  {
    guard let before, let after else { return [] }
    return Rule.fields.compactMap { field in
      let (old, new) = (before[field: field], after[field: field])
      guard old != new else { return nil }
      return Difference(
        name: texts("thresholds.\(Rule.prefix)field.\(field)"), before: texts.plain(old), after: texts.plain(new))
    }
  }
}

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
