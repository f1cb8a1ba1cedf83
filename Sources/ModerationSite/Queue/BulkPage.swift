// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization
import Moderation
import PageTemplates
import Storage

/// The effect of a bulk decision before it is confirmed.
struct BulkPreview {
  let items: [BulkItem]
  /// The numbers that are blocked only with a confirmation.
  let guarded: Set<Int64>
  /// The count of decisions that need the confirmation of a second person.
  let reviewed: Int
  /// The count of requested numbers; it exceeds the count of items if there were too many.
  let asked: Int
  let worker: QueueWorker
  let form: Form
  /// Empty until all fields are filled in.
  let fingerprint: String
  let address: QueueAddress
  let isStale: Bool
  let problem: RuleViolation?
  let now = Date()

  /// Rows of the sample.
  private static let rows = 20

  private var treatment: Decision.Treatment? { form["decision"].flatMap { Decision.Treatment(rawValue: $0) } }

  private func isWithheld(_ item: BulkItem) -> Bool { item.isWithheld(from: worker, at: now) }
  private func isProtected(_ item: BulkItem) -> Bool { item.protection != nil && treatment != .allow }
  private func isLeftOut(_ item: BulkItem) -> Bool { isWithheld(item) || isProtected(item) || item.isAppealed }
  private func isSame(_ item: BulkItem) -> Bool { !isLeftOut(item) && item.standing?.treatment == treatment }

  /// Values of the template `bulk`.
  func record(_ texts: Localizer) -> TemplateRecord {
    effect(texts).adding(fields(texts)).adding(sample(texts))
  }

  private func effect(_ texts: Localizer) -> TemplateRecord {
    let isConfirmationMissing = problem?.code == .blockNeedsConfirmation
    let decided = items.filter { !isLeftOut($0) }
    let discounted = decided.reduce(0) { $0 + $1.reporters }
    let leftOut = [
      ("bulk.left-out", items.count { isProtected($0) && !isWithheld($0) && !$0.isAppealed }),
      ("bulk.withheld", items.count(where: isWithheld)),
      ("bulk.appealed", items.count { $0.isAppealed && !isWithheld($0) }),
    ]
    let does = [
      treatment.map { texts("bulk.does.\($0.rawValue)") },
      treatment == .allow && discounted > 0 ? texts.count("case.discounts", discounted) : nil,
      reviewed > 0 ? texts.count("bulk.reviewed", reviewed) : nil,
      treatment == .allow && reviewed > 0 ? texts("bulk.reviewed-effect") : nil,
    ]
    func count(_ key: String, _ count: Int) -> String { count == 0 ? "" : texts.count(key, count) }
    return [
      "hasAny": !items.isEmpty,
      // Whether all fields are filled in, so that the decision can be confirmed.
      "isReady": !decided.isEmpty && !fingerprint.isEmpty, "isStale": isStale,
      "isConfirmationMissing": isConfirmationMissing,
      "problem": isConfirmationMissing
        ? texts("bulk.guarded-missing")
        : problem.map { texts.find("case.problem.\($0.field)") ?? texts.message($0) } ?? "",
      "guarded": count("bulk.guarded", guarded.count), "isConfirmed": form["confirm"] != nil,
      "count": texts.count("bulk.count", items.count),
      "changed": texts.count("bulk.changed", decided.count { !isSame($0) }),
      "same": count("bulk.same", items.count(where: isSame)),
      "leftOut": leftOut.filter { $0.1 > 0 }.map { texts.count($0.0, $0.1) }.joined(separator: " "),
      "cut": asked > items.count ? texts("bulk.cut", ["most": texts.number(Bulk.most)]) : "",
      "does": does.compactMap { $0 }.joined(separator: " "),
      "confirm": treatment.map { texts.count("bulk.confirm.\($0.rawValue)", decided.count) } ?? "",
    ]
  }

  private func fields(_ texts: Localizer) -> TemplateRecord {
    // A stale form gets a new id, because its own may already be stored.
    let known = isStale ? nil : form["id"].flatMap { UUID(uuidString: $0) }
    return ReasonField.record(form, texts).adding([
      "numbers": items.map(\.number), "id": (known ?? UUID()).text, "fingerprint": fingerprint,
      "label": form["label"] ?? "", "reason": form["reason"] ?? "",
      "options": Decision.Treatment.allCases.map { treatment in
        TemplateRecord.choice(
          treatment.rawValue, texts("bulk.do.\(treatment.rawValue)"), isChosen: treatment.rawValue == form["decision"])
      },
      "categories": TemplateRecord.categories(chosen: form["category"], texts),
      "expiries": ExpiryField.choices(form, texts), "hidden": address.hidden,
      "listAddress": address.address(QueuePages.path),
    ])
  }

  private func sample(_ texts: Localizer) -> TemplateRecord {
    let sampled = items.filter { guarded.contains($0.number) } + items.filter { !guarded.contains($0.number) }
    return [
      "sample": sampled.prefix(Self.rows).map { item in
        [
          "digits": item.number, "number": NumberText.text(item.number),
          "category": item.category.map { texts.category($0) } ?? "–",
          "heat": texts.decimal(Decay.heat.value(ofStoredSum: item.heat, at: now)),
          "now": item.standing.map { texts("case.decided.\($0.treatment.rawValue)") }
            ?? texts(item.isPublished ? "case.published" : "bulk.open"),
          "then": outcome(of: item, texts),
        ] as TemplateRecord
      },
      "more": items.count > Self.rows ? texts.count("bulk.more", items.count - Self.rows) : "",
    ]
  }

  private func outcome(of item: BulkItem, _ texts: Localizer) -> String {
    if isWithheld(item) { return texts("bulk.elsewhere") }
    if item.isAppealed { return texts("bulk.appeal-open") }
    if isProtected(item) { return texts("bulk.protected") }
    let decided = treatment.map { texts("case.decided.\($0.rawValue)") } ?? "–"
    return guarded.contains(item.number) ? texts("bulk.guarded-one", ["decision": decided]) : decided
  }
}

extension BulkRun {
  /// Values of the template `bulk-done`.
  func record(_ address: QueueAddress, worker: QueueWorker, _ texts: Localizer) -> TemplateRecord {
    let canFinish = isUnfinished && canBeFinished(by: worker)
    return [
      "unfinished": canFinish ? unfinishedRecord(texts) : nil, "id": id.text,
      "said": texts.count("bulk.done.\(treatment.rawValue)", decisions),
      "short": decisions < numbers && undoneBy == nil && !canFinish
        ? texts("bulk.short", ["done": texts.number(decisions), "all": texts.number(numbers)]) : "",
      "reason": reason ?? "", "label": label ?? "", "expires": expiresAt.map { texts.day($0) } ?? "", "by": account,
      "time": PageTime(decidedAt, texts), "isUndone": undoneBy != nil,
      "undone": undoneBy.map { texts("bulk.undone", ["name": $0]) } ?? "", "hidden": address.hidden,
      "listAddress": address.address(QueuePages.path),
    ]
  }

  /// An interrupted bulk decision, for the partial `bulk-unfinished`.
  func unfinishedRecord(_ texts: Localizer) -> TemplateRecord {
    let done = texts(
      "bulk.unfinished",
      [
        "name": account, "what": texts("case.decided.\(treatment.rawValue)"), "done": texts.number(decisions),
        "all": texts.number(numbers),
      ])
    return [
      "id": id.text, "text": "\(done) \(texts.count("bulk.left", numbers - decisions))", "reason": reason ?? "",
      "time": PageTime(decidedAt, texts),
    ]
  }
}
