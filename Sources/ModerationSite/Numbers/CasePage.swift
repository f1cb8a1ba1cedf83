// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import PhoneNumbers
import Storage

/// The stored facts of a number and the state of its page.
struct CasePage {
  var number: PhoneNumber
  /// The name of its area in North America; nil for others.
  var area: String?
  var file: CaseFile
  var worker: Actor
  var address: CaseAddress
  var claim: UUID?
  /// The claim of another account.
  var taken: QueueCase.Claim?
  /// The count of waiting cases, as text.
  var left: String
  var packs: PackPlaces.Found?
  var recipes: [Recipe]
  var notice: DecisionNotice?
  var form: TemplateRecord
  /// Changes since the moderator loaded the page.
  var changes: [CaseVersion.Change]
  var problem: RuleViolation?
  var commentsBefore: CommentPlace?
  /// The numbers of the range that the case asks about.
  var grid: RangeGrid?

  /// Rows of reporters, and of neighbors, that are not folded.
  private static let rows = 5

  private var explanation: Explanation { file.explanation }

  /// Values of the template `case`, and of a case beside the list of the queue.
  func record(at time: Date, _ texts: Localizer) -> TemplateRecord {
    state(texts).adding(facts(at: time, texts)).adding(comments(texts)).adding(statements(texts))
  }

  /// The owners' statements in open appeals, above the answer. Those after the first few are folded.
  private func statements(_ texts: Localizer) -> TemplateRecord {
    let all = file.appeals.filter { $0.state == .open }.flatMap {
      AppealPage.filings(of: $0, file.filings, texts)
    }
    let folded = Array(all.dropFirst(AppealPage.shown))
    return [
      "statements": Array(all.prefix(AppealPage.shown)), "moreStatements": folded,
      "moreStatementsCount": texts.count("appeals.more", folded.count),
    ]
  }

  /// The number, its case in the queue, and the form.
  private func state(_ texts: Localizer) -> TemplateRecord {
    let label = explanation.decision?.label ?? explanation.listing.map { texts.category($0.category) }
    let causes = file.item?.causes.all ?? []
    return [
      "digits": number.digits, "number": number.formatted(.international), "national": number.formatted(.national),
      "country": explanation.country.map { texts.country($0) } ?? texts("case.nowhere"), "area": area ?? "",
      "kind": number.isValid
        ? texts("case.kind.\(number.kind.rawValue)")
        : texts("case.kind.unassigned", ["version": NumberingPlans.current.version.description]),
      "label": label ?? file.names.first?.name ?? "",
      "verdict": explanation.heading.rawValue, "verdictName": texts("verdict.\(explanation.heading.rawValue)"),
      "waits": file.item != nil,
      "causes": causes.map { ["name": texts("queue.cause.\($0.rawValue)")] as TemplateRecord },
      "since": file.item.map { PageTime($0.since, texts) }, "level": file.item?.levelText(texts) ?? "",
      "passes": file.passes.isEmpty ? "" : texts("case.passes", ["names": file.passes.joined(separator: ", ")]),
      "claim": claim?.text ?? "", "handover": handover(texts),
      "rangeGrid": file.rangeToDecide.map { rule in
        (grid?.record(texts) ?? [:]).adding([
          "range": rule.range.text, "address": rule.address, "size": texts.number(rule.range.size),
          "treatment": texts("ranges.treatment-\(rule.treatment.rawValue)"), "category": texts.category(rule.category),
        ])
      },
      // Empty where no other account has the case.
      "takenBy": taken?.account ?? "", "takenUntil": taken.map { PageTime($0.until, texts) },
      "canTakeOver": taken != nil && worker.role >= .administrator, "left": left,
      "leftAddress": address.queue.address("/moderation/queue/left"),
      "query": address.query,
      "listAddress": address.queue.address(QueuePages.path, address.cursor),
      // The page with all facts, for a case beside the list.
      "pageAddress": CaseAddress(address.queue, on: .queue).address(of: number.digits),
      "proposals": file.proposals.map { $0.record(texts) },
      "isFromQueue": address.isOfQueue, "notice": notice?.record(texts), "form": form,
      "changes": changes.map { texts("case.changed.\($0.rawValue)") }, "isStale": !changes.isEmpty,
      "problem": problem.map { texts.find("case.problem.\($0.field)") ?? texts.message($0) } ?? "",
    ]
  }

  /// The account that passed the case on, and the input of the form; nil where nobody did since the case was opened.
  private func handover(_ texts: Localizer) -> TemplateRecord? {
    guard let last = file.handover, last.kind != .takeBack, let item = file.item, last.time >= item.since else {
      return nil
    }
    let input = [
      ("case.handover.reason", last.reason.map(texts.reason)), ("case.label", last.after["label"]),
      ("appeals.words", last.after["answer"]), ("case.note", last.after["note"]),
    ]
    return [
      "title": texts("case.handover.\(last.kind == .pass ? "pass" : "escalate")", ["account": last.account]),
      "time": PageTime(last.time, texts),
      "input": input.compactMap { name, text in text.map { ["name": texts(name), "text": $0] as TemplateRecord } },
    ]
  }

  /// The reasons for the verdict, the listing and the history.
  private func facts(at time: Date, _ texts: Localizer) -> TemplateRecord {
    let conditions = explanation.conditions
    let failing = conditions.filter { !explanation.isMet($0) }
    let outlook = CaseOutlook(explanation)
    let shown = PackListing(packs, newest: file.newestSerial, listing: explanation.listing)
    let parts = explanation.score?.partRecords(texts)
    let neighbours = file.neighbours.map { $0.record(at: time, texts) }
    let more = neighbours.dropFirst(Self.rows)
    let reporters = file.reporters.map { $0.record(texts) }
    let others = reporters.dropFirst(Self.rows)
    var stated = explanation
    stated.packs = shown.places.map { StatementOfReasons.Pack(name: $0.pack, region: explanation.country) }
    return [
      "reasons": (stated.statement?.lines ?? []).map { texts.message($0) },
      "warnings": CaseWarnings.records(file, texts), "summary": CaseSummary.record(explanation, failing, texts),
      // A change that waits for the next publication comes first, in the words of the public page.
      "sentences": (stated.statement?.lines.filter { $0.code == .changes } ?? []).map { texts.message($0) }
        + explanation.summary.map { texts.message($0) },
      "conditionsTitle": explanation.conditionsTitle(texts),
      "conditions": conditions.map { explanation.record(of: $0, texts) },
      "failing": failing.map { explanation.record(of: $0, texts) },
      "conditionsMet": texts(
        "case.conditions-met",
        ["met": texts.number(conditions.count - failing.count), "all": texts.number(conditions.count)]),
      "chart": CaseChart.record(file.days, at: time, texts), "outlook": outlook.text(texts),
      "outlookPacks": recipes.isEmpty
        ? ""
        : outlook.packs(
          of: number, recipes, hasCalls: file.days.contains { $0.calls > 0 }, found: packs, texts),
      "outlookChange": texts("case.change.\(outlook.change(from: explanation.listing))"),
      "packs": shown.places.map { $0.record(texts) }, "listed": shown.text(texts),
      "names": file.names.map(\.record), "reporterCounts": reporterCounts(texts),
      "parts": parts?.main ?? [], "minorParts": parts?.minor ?? [],
      "minorCount": texts.count("case.categories-more", parts?.minor.count ?? 0),
      "hours": CaseHours.record(file.hours, texts),
      "apps": file.apps.map { app in
        ["name": app.name, "reports": texts.number(app.reports), "reporters": texts.number(app.reporters)]
          as TemplateRecord
      },
      "reporters": Array(reporters.prefix(Self.rows)), "moreReporters": Array(others),
      "moreReportersCount": texts.count("case.reporters-more", others.count),
      "neighbours": Array(neighbours.prefix(Self.rows)), "moreNeighbours": Array(more),
      "moreNeighboursCount": texts.count("case.neighbours-more", more.count), "range": file.range?.caseRecord(texts),
      "hold": file.hold?.record(texts),
      // Moderators read the statements of open appeals above the answer.
      "appeals": file.appeals.reversed().filter { $0.state != .open || worker.role < .moderator }.map {
        $0.caseRecord(at: time, texts)
      },
      "decisions": file.decisions.records(
        standing: explanation.decision?.decisionID, noticed: notice?.undoable, worker: worker, texts),
      "notes": file.notes.map {
        ["account": $0.account, "text": $0.text, "time": PageTime($0.writtenAt, texts)] as TemplateRecord
      },
      "noteID": UUID().text,
    ]
  }

  /// The comments. Those on harassment may themselves be harassment, so they are folded.
  private func comments(_ texts: Localizer) -> TemplateRecord {
    var older = ""
    if file.comments.count > CaseStore.comments, let last = file.comments.prefix(CaseStore.comments).last {
      older = address.address(of: number.digits, [("comments", last.place)]) + "#comments"
    }
    return file.commentRecords(texts).adding([
      "olderComments": older,
      "newerComments": commentsBefore == nil ? "" : address.address(of: number.digits) + "#comments",
    ])
  }

  /// Names every count of reporters: by report, by stored vote, and in the list of the page.
  private func reporterCounts(_ texts: Localizer) -> String {
    let parts = explanation.score?.parts ?? []
    let complaining = parts.reduce(0) { $0 + ($1.category.isToxic ? $1.reporters : 0) }
    let legitimate = parts.reduce(0) { $0 + ($1.category.isToxic ? 0 : $1.reporters) }
    let stored = explanation.weights.full + explanation.weights.partial + explanation.weights.none
    guard complaining + legitimate > 0 else { return "" }
    return [
      texts.count(
        "case.reporter-counts", complaining + legitimate,
        ["complaining": texts.number(complaining), "legitimate": texts.number(legitimate)]),
      stored < complaining + legitimate
        ? texts.count("case.reporters-dropped", complaining + legitimate - stored) : nil,
      file.reporters.count < stored
        ? texts("case.reporters-shown", ["shown": texts.number(file.reporters.count)]) : nil,
    ].compactMap { $0 }.joined(separator: " ")
  }
}

extension CaseFile {
  /// The comments of one page. Those on harassment are separate.
  func commentRecords(_ texts: Localizer) -> TemplateRecord {
    let shown = comments.prefix(CaseStore.comments)
    let hidden = shown.filter { $0.category == .harassment }
    return [
      "hasComments": !shown.isEmpty,
      "comments": shown.filter { $0.category != .harassment }.map { $0.record(texts) },
      "hiddenComments": hidden.map { $0.record(texts) },
      "hiddenCount": texts.count("case.comments-hidden", hidden.reduce(0) { $0 + $1.count }),
    ]
  }
}
