// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Moderation
import Storage

/// The effect of a bulk decision before it is confirmed.
struct BulkPreview {
  let items: [BulkItem]
  let templates: TextTemplates
  /// The numbers that are blocked only with a confirmation.
  let guarded: Set<Int64>
  /// The count of decisions that need the confirmation of a second person.
  let reviewed: Int
  let areReviewsOn: Bool
  /// The count of requested numbers; it exceeds the count of items if there were too many.
  let asked: Int
  let worker: Actor
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

  private var replaces: Bool { form["replace"] != nil }

  private func omission(_ item: BulkItem) -> BulkItem.Omission? {
    item.omission(for: worker, replacing: replaces, at: now)
  }
  private func isSame(_ item: BulkItem) -> Bool { omission(item) == nil && item.standing?.treatment == treatment }
  /// Whether the number has a decision that the bulk replaces only where its author says so.
  private func isDecided(_ item: BulkItem) -> Bool {
    item.omission(for: worker, replacing: false, at: now) == .decided
  }

  /// Whether allowing the number discounts its reporters: a decision that needs a confirmation does so only with second
  /// reviews.
  private func isDiscounting(_ item: BulkItem) -> Bool { areReviewsOn || !item.allowRule.isGuarded }

  /// Values of the template `bulk`.
  func record(_ texts: Localizer) -> TemplateRecord {
    effect(texts).adding(fields(texts)).adding(sample(texts)).adding(decided(texts))
  }

  private func effect(_ texts: Localizer) -> TemplateRecord {
    let isConfirmationMissing = problem?.code == .blockNeedsConfirmation
    let decided = items.filter { omission($0) == nil }
    let discounted = decided.filter(isDiscounting).reduce(0) { $0 + $1.reporters }
    let keepsWeights = decided.contains { $0.reporters > 0 && !isDiscounting($0) }
    let leftOut = [
      ("bulk.left-out", items.count { omission($0) == .protected }),
      ("bulk.withheld", items.count { omission($0) == .withheld }),
      ("bulk.appealed", items.count { omission($0) == .appealed }),
      ("bulk.range", items.count { omission($0) == .range }),
    ]
    let does = [
      treatment.map { texts("bulk.does.\($0.rawValue)") },
      treatment == .allow && discounted > 0 ? texts.count("case.discounts", discounted) : nil,
      treatment == .allow && keepsWeights ? texts("bulk.weights-kept") : nil,
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

  /// The numbers with a decision, each with its author.
  private func decided(_ texts: Localizer) -> TemplateRecord {
    let decided = items.filter(isDecided)
    return [
      "decided": decided.compactMap { item in
        item.standing.map { standing in
          [
            "digits": item.number, "number": NumberText.text(item.number),
            "what": texts("case.decided.\(standing.treatment.rawValue)"), "account": item.decidedBy ?? "",
            "time": PageTime(standing.decidedAt, texts),
          ] as TemplateRecord
        }
      },
      "decidedCount": decided.isEmpty ? "" : texts.count(replaces ? "bulk.replaced" : "bulk.decided", decided.count),
      "replaces": replaces,
    ]
  }

  private func fields(_ texts: Localizer) -> TemplateRecord {
    // A stale form gets a new id, because its own may already be stored.
    let known = isStale ? nil : form["id"].flatMap { UUID(uuidString: $0) }
    let reasons = templates[.init(.reason, language: texts.language.rawValue)]
    return ReasonField.record(form, from: reasons, texts).adding([
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
    switch omission(item) {
    case .withheld: return texts("bulk.elsewhere")
    case .appealed: return texts("bulk.appeal-open")
    case .range: return texts("bulk.range-one")
    case .protected: return texts("bulk.protected")
    case .decided: return texts("bulk.decided-one")
    case nil: break
    }
    let decided = treatment.map { texts("case.decided.\($0.rawValue)") } ?? "–"
    return guarded.contains(item.number) ? texts("bulk.guarded-one", ["decision": decided]) : decided
  }
}

extension BulkRun {
  /// Values of the template `bulk-done`.
  func record(_ address: QueueAddress, worker: Actor, _ texts: Localizer) -> TemplateRecord {
    let canFinish = isUnfinished && worker.canFinishBulks(of: account)
    let (title, said) = result(texts)
    return [
      "unfinished": canFinish ? unfinishedRecord(texts) : nil, "id": id.text, "title": title, "said": said,
      // Its page asks again while a server works on it.
      "isRunning": isRunning || isBeingUndone, "part": isRunning ? decisions : undone,
      "all": isRunning ? numbers : decisions,
      "short": decisions < numbers && undoneBy == nil && !canFinish && !isRunning
        ? texts("bulk.short", ["done": texts.number(decisions), "all": texts.number(numbers)]) : "",
      "left": isFinished && undoneBy == nil ? left.prefix(Self.named).map { NumberText.text($0) } : [],
      "reason": isOfFile ? "" : reason.map(texts.reason) ?? "", "label": isOfFile ? "" : label ?? "",
      "expires": isOfFile ? "" : expiresAt.map { texts.day($0) } ?? "",
      "by": account,
      "time": PageTime(decidedAt, texts), "isUndone": undoneBy != nil, "hidden": address.hidden,
      "listAddress": address.address(QueuePages.path),
    ]
  }

  /// The most numbers without a decision that the page names.
  private static let named = 50

  /// The decision of all numbers, in words.
  private func what(_ texts: Localizer) -> String {
    texts(isOfFile ? "bulk.of-file" : "case.decided.\(treatment.rawValue)")
  }

  /// The heading and the first line of the page.
  private func result(_ texts: Localizer) -> (title: String, said: String) {
    if let undoneBy {
      let values = ["name": undoneBy, "what": what(texts)]
      return (texts("bulk.title-undone"), texts.count("bulk.undone", decisions, values))
    }
    if isRunning {
      let values = ["done": texts.number(decisions), "all": texts.number(numbers)]
      return (texts("bulk.title-running"), texts("bulk.progress", values))
    }
    if undone > 0 {
      let values = ["undone": texts.number(undone), "all": texts.number(decisions)]
      return (texts(isBeingUndone ? "bulk.title-undoing" : "bulk.result"), texts("bulk.undone-part", values))
    }
    return (texts("bulk.result"), texts.count("bulk.done.\(isOfFile ? "file" : treatment.rawValue)", decisions))
  }

  /// An interrupted bulk decision, for the partial `bulk-unfinished`.
  func unfinishedRecord(_ texts: Localizer) -> TemplateRecord {
    let done = texts(
      "bulk.unfinished",
      [
        "name": account, "what": what(texts), "done": texts.number(decisions),
        "all": texts.number(numbers),
      ])
    return [
      "id": id.text, "text": "\(done) \(texts.count("bulk.left", numbers - decisions))",
      "reason": isOfFile ? "" : reason.map(texts.reason) ?? "",
      "time": PageTime(decidedAt, texts),
    ]
  }
}
