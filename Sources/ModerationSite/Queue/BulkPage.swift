// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Localization
import PhoneNumbers
import Storage

/// Values of the template `bulk`.
struct BulkPreview: Encodable {
  struct Row: Encodable {
    let digits: Int64
    let number: String
    let category: String
    let heat: String
    let now: String
    let then: String
    let isLeftOut: Bool
  }

  let hasAny: Bool
  /// Whether all fields are filled in, so that the decision can be confirmed.
  let isReady: Bool
  let isStale: Bool
  let problem: String
  let count: String
  let changed: String
  let same: String
  let leftOut: String
  let cut: String
  let sample: [Row]
  let more: String
  let does: String
  /// The count of numbers that are blocked only with a confirmation; empty for none.
  let guarded: String
  let isConfirmed: Bool
  let isConfirmationMissing: Bool
  /// The button's label: the action and the count of numbers.
  let confirm: String
  let numbers: [Int64]
  let id: String
  let fingerprint: String
  let label: String
  let reason: String
  let options: [DecisionForm.Option]
  let categories: [DecisionForm.Category]
  let expiries: [ExpiryField.Choice]
  let reasons: [ReasonField.Choice]
  let isOwnReason: Bool
  let hidden: [HiddenField]
  let listAddress: String

  /// Rows of the sample.
  private static let rows = 20

  /// - Parameters:
  /// - guarded: the numbers that are blocked only with a confirmation.
  /// - reviewed: the count of decisions that need the confirmation of a second person.
  /// - asked: the count of requested numbers; it exceeds the count of items if there were too many.
  /// - fingerprint: empty until all fields are filled in.
  init(
    items: [BulkItem], guarded: Set<Int64>, reviewed: Int, asked: Int, worker: QueueWorker, form: Form,
    fingerprint: String, address: QueueAddress, isStale: Bool, problem: RuleViolation?, texts: Localizer
  ) {
    let treatment = form["decision"].flatMap { Decision.Treatment(rawValue: $0) }
    let now = Date()
    func isWithheld(_ item: BulkItem) -> Bool { item.isWithheld(from: worker, at: now) }
    func isProtected(_ item: BulkItem) -> Bool { item.protection != nil && treatment != .allow }
    func isLeftOut(_ item: BulkItem) -> Bool { isWithheld(item) || isProtected(item) || item.isAppealed }
    func isSame(_ item: BulkItem) -> Bool { !isLeftOut(item) && item.standing?.treatment == treatment }
    hasAny = !items.isEmpty
    isReady = !items.allSatisfy(isLeftOut) && !fingerprint.isEmpty
    self.isStale = isStale
    isConfirmationMissing = problem?.code == .blockNeedsConfirmation
    self.problem =
      isConfirmationMissing
      ? texts("bulk.guarded-missing")
      : problem.map { texts.find("case.problem.\($0.field)") ?? texts.message($0) } ?? ""
    self.guarded = guarded.isEmpty ? "" : texts.count("bulk.guarded", guarded.count)
    isConfirmed = form["confirm"] != nil
    count = texts.count("bulk.count", items.count)
    changed = texts.count("bulk.changed", items.count { !isLeftOut($0) && !isSame($0) })
    let same = items.count(where: isSame)
    let withheld = items.count(where: isWithheld)
    let appealed = items.count { $0.isAppealed && !isWithheld($0) }
    let protected = items.count { isProtected($0) && !isWithheld($0) && !$0.isAppealed }
    self.same = same == 0 ? "" : texts.count("bulk.same", same)
    leftOut = [
      protected == 0 ? "" : texts.count("bulk.left-out", protected),
      withheld == 0 ? "" : texts.count("bulk.withheld", withheld),
      appealed == 0 ? "" : texts.count("bulk.appealed", appealed),
    ].filter { !$0.isEmpty }.joined(separator: " ")
    cut = asked > items.count ? texts("bulk.cut", ["most": texts.number(Bulk.most)]) : ""
    let decided = items.count { !isLeftOut($0) }
    confirm = treatment.map { texts.count("bulk.confirm.\($0.rawValue)", decided) } ?? ""
    let discounted = items.filter { !isLeftOut($0) }.reduce(0) { $0 + $1.reporters }
    does = [
      treatment.map { texts("bulk.does.\($0.rawValue)") },
      treatment == .allow && discounted > 0 ? texts.count("case.discounts", discounted) : nil,
      reviewed > 0 ? texts.count("bulk.reviewed", reviewed) : nil,
      treatment == .allow && reviewed > 0 ? texts("bulk.reviewed-effect") : nil,
    ].compactMap { $0 }.joined(separator: " ")
    let sampled = items.filter { guarded.contains($0.number) } + items.filter { !guarded.contains($0.number) }
    sample = sampled.prefix(Self.rows).map { item in
      let decided = treatment.map { texts("case.decided.\($0.rawValue)") } ?? "–"
      return Row(
        digits: item.number, number: PhoneNumber(digits: item.number)?.formatted(.international) ?? "+\(item.number)",
        category: item.category.map { texts.category($0) } ?? "–",
        heat: texts.decimal(Decay.heat.value(ofStoredSum: item.heat, at: now)),
        now: item.standing.map { texts("case.decided.\($0.treatment.rawValue)") }
          ?? texts(item.isPublished ? "case.published" : "bulk.open"),
        then: isWithheld(item)
          ? texts("bulk.elsewhere")
          : item.isAppealed
            ? texts("bulk.appeal-open")
            : isProtected(item)
              ? texts("bulk.protected")
              : guarded.contains(item.number) ? texts("bulk.guarded-one", ["decision": decided]) : decided,
        isLeftOut: isLeftOut(item))
    }
    more = items.count > Self.rows ? texts.count("bulk.more", items.count - Self.rows) : ""
    numbers = items.map(\.number)
    // A stale form gets a new id, because its own may already be stored.
    let known = isStale ? nil : form["id"].flatMap { UUID(uuidString: $0) }
    id = (known ?? UUID()).uuidString.lowercased()
    self.fingerprint = fingerprint
    label = form["label"] ?? ""
    reason = form["reason"] ?? ""
    options = Decision.Treatment.allCases.map { treatment in
      DecisionForm.Option(
        value: treatment.rawValue, name: texts("bulk.do.\(treatment.rawValue)"), key: "",
        isChosen: treatment.rawValue == form["decision"])
    }
    categories = ReportCategory.allCases.filter(\.isToxic).map {
      DecisionForm.Category(slug: $0.slug, name: texts.category($0), isChosen: $0.slug == form["category"])
    }
    expiries = ExpiryField.choices(form, texts)
    reasons = ReasonField.choices(form, texts)
    isOwnReason = !reasons.contains(where: \.isChosen)
    hidden = address.hidden
    listAddress = address.address(QueuePages.path)
  }
}

/// Values of the template `bulk-done`.
struct BulkDone: Encodable {
  let id: String
  let said: String
  let short: String
  let reason: String
  let label: String
  /// Empty for never.
  let expires: String
  let by: String
  let time: PageTime
  let isUndone: Bool
  let undone: String
  /// An interrupted bulk decision that the reader may finish; at most one element.
  let unfinished: [UnfinishedBulk]
  let hidden: [HiddenField]
  let listAddress: String

  init(_ run: BulkRun, _ address: QueueAddress, worker: QueueWorker, _ texts: Localizer) {
    let canFinish = run.isUnfinished && run.canBeFinished(by: worker)
    unfinished = canFinish ? [UnfinishedBulk(run, texts)] : []
    id = run.id.uuidString.lowercased()
    said = texts.count("bulk.done.\(run.treatment.rawValue)", run.decisions)
    short =
      run.decisions < run.numbers && run.undoneBy == nil && !canFinish
      ? texts("bulk.short", ["done": texts.number(run.decisions), "all": texts.number(run.numbers)]) : ""
    reason = run.reason ?? ""
    label = run.label ?? ""
    expires = run.expiresAt.map { texts.day($0) } ?? ""
    by = run.account
    time = PageTime(run.decidedAt, texts)
    isUndone = run.undoneBy != nil
    undone = run.undoneBy.map { texts("bulk.undone", ["name": $0]) } ?? ""
    hidden = address.hidden
    listAddress = address.address(QueuePages.path)
  }
}

/// An interrupted bulk decision, for the partial `bulk-unfinished`.
struct UnfinishedBulk: Encodable {
  let id: String
  let text: String
  let reason: String
  let time: PageTime

  init(_ run: BulkRun, _ texts: Localizer) {
    id = run.id.uuidString.lowercased()
    let left = texts.count("bulk.left", run.numbers - run.decisions)
    let said = texts(
      "bulk.unfinished",
      [
        "name": run.account, "what": texts("case.decided.\(run.treatment.rawValue)"),
        "done": texts.number(run.decisions),
        "all": texts.number(run.numbers),
      ])
    text = "\(said) \(left)"
    reason = run.reason ?? ""
    time = PageTime(run.decidedAt, texts)
  }
}
