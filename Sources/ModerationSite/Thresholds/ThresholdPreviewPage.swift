// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Publishing
import Storage

extension ThresholdPreviews.Request {
  /// Values of the template `threshold-preview`, without the form.
  /// - Parameter apps: all apps and imported lists.
  func record(_ state: ThresholdPreviews.State, apps: [App], _ texts: Localizer) -> TemplateRecord {
    rule(apps, texts).adding(state.record(texts)).adding(["id": id.uuidString])
  }

  /// The changed rule, its changed values, and the text for none.
  private func rule(_ apps: [App], _ texts: Localizer) -> TemplateRecord {
    switch subject {
    case .threshold(let category, let country):
      let isOwn = country != nil && change.own(category, country: country) != nil
      let find = { (set: ThresholdSet) in set.threshold(for: category) { country } }
      return [
        "name": category.thresholdName(country, texts),
        "noDifference": texts(isOwn ? "thresholds.own-no-difference" : "thresholds.no-difference"),
        "differences": Self.differences(find(present), find(change), texts),
      ]
    case .identify:
      return [
        "name": texts("thresholds.labels"), "noDifference": "",
        "differences": Self.differences(present.identify, change.identify, texts),
      ]
    case .attestation(let app):
      return [
        "name": texts("thresholds.attestation-of", ["app": apps.name(of: app) ?? "\(app)"]),
        "noDifference": "",
        "differences": Self.differences(present.rule(ofApp: app), change.rule(ofApp: app), texts),
      ]
    case .list(let list):
      let isOwn = change.own(list: list) != nil
      return [
        "name": SourceRule.name(of: list, among: apps, texts) ?? "\(list)",
        "noDifference": texts(isOwn ? "thresholds.list-own-no-difference" : "thresholds.list-no-difference"),
        "differences": Self.differences(present.rule(ofList: list), change.rule(ofList: list), texts),
      ]
    }
  }

  private static func differences<Rule: FieldwiseRule>(
    _ before: Rule?, _ after: Rule?, _ texts: Localizer
  ) -> [TemplateRecord] {
    guard let before, let after else { return [] }
    return Rule.fields.compactMap { field in
      let (old, new) = (before[field: field], after[field: field])
      guard old != new else { return nil }
      return [
        "name": texts("thresholds.\(Rule.prefix)field.\(field)"), "before": texts.plain(old), "after": texts.plain(new),
      ]
    }
  }
}

extension ThresholdPreviews.State {
  /// The maximum number of rows; a sentence sums up the rest.
  private static let maxRows = 100

  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    var (step, isBroken) = ("", false)
    var (preview, asOf): (ThresholdPreview?, Date?)
    switch self {
    case .waiting(let ahead): step = texts.count("thresholds.step-waiting", ahead)
    case .running(let now): step = texts.message("jobs.step", now)
    case .done(let made, let time): (preview, asOf) = (made, time)
    case .failed: break
    case .broken: isBroken = true
    }
    // A category and country in which something changes, the largest change first.
    let changed = preview?.changes.filter { $0.value.changed > 0 } ?? [:]
    let sorted = changed.sorted {
      ($0.value.changed, $1.key.category.rawValue, $1.key.country ?? "")
        > ($1.value.changed, $0.key.category.rawValue, $0.key.country ?? "")
    }
    let rows = sorted.prefix(Self.maxRows).map { kind, change in
      [
        "category": texts.category(kind.category), "country": kind.country.map(texts.country) ?? "–",
        "added": texts.number(change.added), "taken": texts.number(change.taken), "kept": texts.number(change.kept),
        "raised": texts.number(change.raised), "lowered": texts.number(change.lowered),
      ] as TemplateRecord
    }
    return [
      "isRunning": !step.isEmpty, "isDone": preview != nil, "isBroken": isBroken,
      "hasFailed": step.isEmpty && preview == nil && !isBroken, "step": step,
      "asOf": asOf.map { PageTime($0, texts) }, "tiles": preview?.tiles(texts) ?? [], "rows": rows,
      "more": sorted.count > Self.maxRows ? texts.count("thresholds.more-kinds", sorted.count - Self.maxRows) : "",
      "added": preview?.added.map { $0.record(texts) } ?? [], "taken": preview?.taken.map { $0.record(texts) } ?? [],
    ]
  }
}

extension ThresholdPreview {
  fileprivate func tiles(_ texts: Localizer) -> [TemplateRecord] {
    [
      ("now", total.kept + total.taken + fixed), ("then", total.kept + total.added + fixed), ("added", total.added),
      ("taken", total.taken), ("kept", total.kept), ("raised", total.raised), ("lowered", total.lowered),
      ("fixed", fixed), ("held", newlyHeld), ("released", released),
    ].map { .tile("thresholds.tile-\($0.0)", $0.1, texts) }
  }
}

extension ThresholdPreview.Example {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "digits": number, "number": NumberText.text(number), "category": texts.category(kind.category),
      "country": kind.country ?? "–", "heat": texts.decimal(score.heat), "evidence": texts.decimal(score.evidence),
      "confidence": texts.percent(score.confidence), "reporters": texts.number(score.reporters),
      "days": texts.number(score.days),
    ]
  }
}

extension ReportCategory {
  /// The name of the category's threshold in a country, or everywhere.
  func thresholdName(_ country: String?, _ texts: Localizer) -> String {
    let place = country.map(texts.country) ?? texts("thresholds.everywhere")
    return texts("thresholds.preview-of", ["category": texts.category(self), "country": place])
  }
}

extension ThresholdSet {
  /// The thresholds and the rules of lists in the template `thresholds`.
  func record(lists: [App], _ texts: Localizer) -> TemplateRecord {
    [
      "columns": Threshold.columns(texts), "listColumns": SourceRule.columns(texts),
      "rows": thresholds.map { threshold in
        [
          "category": texts.category(threshold.category), "slug": threshold.category.slug,
          "country": threshold.country.map(texts.country) ?? texts("thresholds.everywhere"),
          "code": threshold.country ?? "", "cells": threshold.cells(texts),
        ] as TemplateRecord
      },
      "lists": ([SourceRule.everyList] + lists.map(\.id)).map { list in
        [
          "list": list, "name": SourceRule.name(of: list, among: lists, texts) ?? "\(list)",
          // Whether the list has its own rule, or the row is the default for lists without one.
          "isOwn": own(list: list) != nil, "cells": rule(ofList: list).cells(texts),
        ] as TemplateRecord
      },
      "labels": IdentifyRule.fields.map { field in
        ["name": texts("thresholds.label-field.\(field)"), "figure": texts.plain(identify[field: field])]
          as TemplateRecord
      },
    ]
  }
}

extension ThresholdVersion {
  func record(isShown: Bool, _ texts: Localizer) -> TemplateRecord {
    [
      // The version of the program has a date of its own, which may be before the installation.
      "number": version, "savedAt": version == 1 ? nil : PageTime(savedAt, texts), "savedBy": savedBy,
      "reason": reason ?? texts("thresholds.shipped"), "isShown": isShown,
    ]
  }
}
