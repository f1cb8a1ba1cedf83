// SPDX-License-Identifier: Apache-2.0

import Localization
import Curation
import Foundation
import PhoneNumbers
import Storage

/// Values of the template `case`.
struct CasePage: Encodable {
  let digits: Int64
  let number: String
  let national: String
  let country: String
  let kind: String
  let label: String
  let verdict: String
  let verdictName: String
  let names: [CaseName]

  /// The case's row in the queue.
  let waits: Bool
  let causes: [QueueList.Cause]
  let since: [PageTime]
  let level: String
  let passes: String
  let claim: String
  /// The account that has the claim; empty for none.
  let takenBy: String
  let takenUntil: [PageTime]
  let canTakeOver: Bool
  let left: String
  let leftAddress: String
  let listAddress: String
  /// The page with all facts, for a case beside the list.
  let pageAddress: String
  let isFromQueue: Bool

  /// Facts to know before deciding.
  let warnings: [CaseWarning]
  let summary: CaseSummary

  let notice: [DecisionNotice]
  let form: DecisionForm
  let changes: [String]
  let isStale: Bool
  let problem: String

  let sentences: [String]
  let conditionsTitle: String
  /// The conditions that are not met.
  let failing: [CaseCondition]
  /// The number of conditions that are met, as the title of the fold with all conditions.
  let conditionsMet: String
  let conditions: [CaseCondition]
  let chart: CaseChart
  let outlook: String
  let outlookChange: String
  let change: String
  let packs: [CasePack]
  /// The listing in the newest publication, where no pack on this server shows it, or a note about older packs; empty
  /// for none.
  let listed: String
  /// How the counts of reporters on the page are related; empty for no reporters.
  let reporterCounts: String
  let parts: [CasePart]
  let hasComments: Bool
  let comments: [CommentGroup]
  /// Comments on harassment, which may themselves be harassment.
  let hiddenComments: [CommentGroup]
  /// The number of hidden comments; the title of their fold.
  let hiddenCount: String
  let olderComments: String
  let newerComments: String
  let reporters: [CaseReporterRow]
  let neighbours: [CaseNeighbour]
  let range: [CaseRange]
  let hold: [CaseHold]
  let appeals: [CaseAppeal]
  let decisions: [CaseDecision]
  let notes: [CaseNoteRow]
  let noteID: String

  /// The stored facts of the number and the state of the page.
  struct View {
    var number: PhoneNumber
    var file: CaseFile
    var worker: QueueWorker
    var address: CaseAddress
    var claim: UUID?
    var taken: QueueCase.Claim?
    var left: Int
    var packs: PackPlaces.Found?
    var notice: DecisionNotice?
    var form: DecisionForm
    var changes: [CaseVersion.Change] = []
    var problem: RuleViolation?
    var commentsBefore: CommentPlace?
  }

  init(_ view: View, at time: Date, _ texts: Localizer) {
    let (file, explanation, phone) = (view.file, view.file.explanation, view.number)
    digits = phone.digits
    number = phone.formatted(.international)
    national = phone.formatted(.national)
    country = explanation.country.map { texts.country($0) } ?? texts("case.nowhere")
    kind = texts("case.kind.\(phone.kind.rawValue)")
    label =
      explanation.decision?.label ?? explanation.listing.map { texts.category($0.category) } ?? file.names.first?.name
      ?? ""
    verdict = explanation.verdict.rawValue
    verdictName = texts("verdict.\(explanation.verdict.rawValue)")
    names = file.names.map { CaseName(source: $0.source, name: $0.name, category: $0.category ?? "") }

    waits = file.item != nil
    causes = (file.item?.causes.all ?? []).map {
      QueueList.Cause(cause: $0.rawValue, name: texts("queue.cause.\($0.rawValue)"))
    }
    since = file.item.map { [PageTime($0.since, texts)] } ?? []
    level = file.item.flatMap { $0.level > 0 ? texts("queue.level.\($0.level)") : nil } ?? ""
    passes = file.passes.isEmpty ? "" : texts("case.passes", ["names": file.passes.joined(separator: ", ")])
    claim = view.claim?.uuidString.lowercased() ?? ""
    takenBy = view.taken?.account ?? ""
    takenUntil = view.taken.map { [PageTime($0.until, texts)] } ?? []
    canTakeOver = view.taken != nil && view.worker.role >= .administrator
    left = texts.count("queue.left", view.left)
    leftAddress = view.address.queue.address("/moderation/queue/left")
    listAddress = view.address.queue.address(QueuePages.path, view.address.cursor)
    pageAddress = CaseAddress(view.address.queue, on: .queue).address(of: phone.digits)
    isFromQueue = view.address.isOfQueue

    notice = view.notice.map { [$0] } ?? []
    form = view.form
    changes = view.changes.map { texts("case.changed.\($0.rawValue)") }
    isStale = !view.changes.isEmpty
    problem = view.problem.map { texts.find("case.problem.\($0.field)") ?? texts.message($0) } ?? ""

    sentences = explanation.summary.map { texts.message($0) }
    conditions = CaseCondition.all(explanation, texts)
    failing = conditions.filter { !$0.isMet }
    conditionsMet = texts(
      "case.conditions-met",
      ["met": texts.number(conditions.count - failing.count), "all": texts.number(conditions.count)])
    summary = CaseSummary(explanation, conditions: conditions, texts)
    warnings = CaseWarning.all(file, texts)
    conditionsTitle = CaseCondition.title(explanation, texts)
    chart = CaseChart(file.days, at: time, texts)
    outlook = CaseOutlook(explanation).text(texts)
    change = CaseOutlook(explanation).change(from: explanation.listing)
    outlookChange = texts("case.change.\(change)")
    let shown = PackListing(view.packs, newest: file.newestSerial, listing: explanation.listing)
    packs = shown.places.map { CasePack($0, texts) }
    listed = shown.text(texts)
    reporterCounts = Self.reporterCounts(explanation, shown: file.reporters.count, texts)
    parts = CasePart.all(explanation, texts)
    let shownComments = file.comments.prefix(CaseStore.comments)
    hasComments = !shownComments.isEmpty
    comments = shownComments.filter { $0.category != .harassment }.map { CommentGroup($0, texts) }
    let hidden = shownComments.filter { $0.category == .harassment }
    hiddenComments = hidden.map { CommentGroup($0, texts) }
    hiddenCount = texts.count("case.comments-hidden", hidden.reduce(0) { $0 + $1.count })
    if file.comments.count > CaseStore.comments, let last = shownComments.last {
      olderComments = view.address.address(of: digits, [("comments", CommentGroup.place(last))]) + "#comments"
    } else {
      olderComments = ""
    }
    newerComments = view.commentsBefore == nil ? "" : view.address.address(of: digits) + "#comments"
    reporters = file.reporters.map { CaseReporterRow($0, texts) }
    neighbours = file.neighbours.map { CaseNeighbour($0, at: time, texts) }
    range = file.range.map { [CaseRange($0, texts)] } ?? []
    hold = file.hold.map { [CaseHold($0, texts)] } ?? []
    appeals = file.appeals.reversed().map { CaseAppeal($0, texts) }
    decisions = CaseDecision.all(
      file.decisions, standing: explanation.decision?.decisionID,
      noticed: view.notice.flatMap { $0.canUndo ? $0.decision : nil }, worker: view.worker, texts)
    notes = file.notes.map { CaseNoteRow(account: $0.account, text: $0.text, time: PageTime($0.writtenAt, texts)) }
    noteID = UUID().uuidString.lowercased()
  }

  /// Names every count of reporters: by report, by stored vote, and in the list of the page.
  private static func reporterCounts(_ explanation: Explanation, shown: Int, _ texts: Localizer) -> String {
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
      shown < stored ? texts("case.reporters-shown", ["shown": texts.number(shown)]) : nil,
    ].compactMap { $0 }.joined(separator: " ")
  }
}
