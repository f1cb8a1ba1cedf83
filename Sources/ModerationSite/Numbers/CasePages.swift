// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import NIOPosix
import PhoneNumbers
import Storage

/// Pages of one number for moderators.
struct CasePages: Sendable {
  let cases: CaseStore
  let claims: ClaimService
  let assignments: AssignmentStore
  let templates: TemplateStore
  let queueCounts: QueueCountCache
  let decisions: DecisionStore
  let bulks: BulkStore
  let packs: PackPlaces
  let recipes: @Sendable () -> RecipeReading
  let pages: PageRenderer
  let queuePages: QueuePages

  private static let purpose = HTTPField.Name("Sec-Purpose")

  /// `GET /moderation/numbers/{number}`: opening a case claims it. A number in another spelling redirects to its page,
  /// or to a search. Digits in another spelling are never read as an E.164 number.
  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let country = request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:))
    switch NumberSpelling(try context.parameters.require("number"), country: country) {
    case .canonical: break
    case .other(let number): return .redirect(to: "/moderation/numbers/\(number.digits)", type: .normal)
    case .dialled(let text): return .redirect(to: Query.address(SearchPages.address, ["q": text]), type: .normal)
    case .nothing: throw Problem.notFound
    }
    return try await answer(try context.number, context, CaseAddress(ofNumber: request), view: request)
  }

  /// `GET /moderation/queue`: the list of the queue. With `case`, the case is claimed and shown beside the list.
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let query = request.uri.queryParameters
    let country = query["country"]
    if country != Substring(QueueAddress.nowhere) { _ = try CountryChoices.named(country) }
    let address = CaseAddress(ofSplit: request)
    if let digits = query["case"] {
      guard case .canonical(let number) = NumberSpelling(String(digits), country: nil) else { throw Problem.notFound }
      return try await answer(number, context, address, view: request)
    }
    let did = try await notice(request, CaseAddress(address.queue, on: .queue), context)
    let notes = QueueNotes(isDone: query["done"] != nil, did: did, isSaved: query["saved"] != nil)
    return try await queuePages.list(address.queue, after: address.after, notes: notes, context)
  }

  /// `POST /moderation/numbers/{number}/take-over`
  @Sendable func takeOver(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try context.number
    _ = try await claims.claim(number.digits, by: try context.worker, takesOver: true, at: Date())
    return .redirect(to: CaseAddress(context.form).address(of: number.digits), type: .normal)
  }

  /// `POST /moderation/numbers/{number}/notes`
  @Sendable func note(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try context.number
    do {
      try await cases.note(
        context.form["note"] ?? "", about: number.digits, id: context.form.id, by: try context.worker, at: Date())
    } catch let problem as RuleViolation {
      return try await self.answer(context, problem: problem)
    }
    return .redirect(to: "\(CaseAddress(context.form).address(of: number.digits))#notes", type: .normal)
  }

  /// Shows the page again with the typed values after a field was refused.
  /// - Parameters:
  /// - changes: changes since the moderator loaded the page.
  /// - problem: the error in the typed values.
  func answer(
    _ context: ServerRequestContext, changes: [CaseVersion.Change] = [], problem: RuleViolation? = nil
  ) async throws -> Response {
    try await answer(
      try context.number, context, CaseAddress(context.form), changes: changes, problem: problem, view: nil)
  }

  /// - Parameter request: a request to view the case; nil to show the page again after a form was refused.
  private func answer(
    _ number: PhoneNumber, _ context: ServerRequestContext, _ address: CaseAddress,
    changes: [CaseVersion.Change] = [], problem: RuleViolation? = nil, view request: Request?
  ) async throws -> Response {
    let (worker, now, texts) = (try context.worker, Date(), pages.texts(context))
    let query = request?.uri.queryParameters
    let before = query?["comments"].flatMap { CommentPlace($0) }
    // A link preview does not claim the case.
    let isLooking = request.map { $0.method == .get && Self.isPurposeful($0) } ?? true
    // Packs are read while the database answers.
    async let places = packs.places(of: number.digits, country: RegionMap.countries.region(of: number.digits))
    async let reading = NIOThreadPool.singleton.runIfActive(recipes)
    let mine = isLooking ? try await claims.take(number.digits, by: worker, at: now) : nil
    let file = try await cases.read(number.digits, commentsBefore: before, at: now)
    let notice = try await notice(request, address, context)
    let others = mine == nil && isLooking ? file.item?.claim : nil
    let taken = others.flatMap { $0.isOfOther(than: worker, at: now) ? $0 : nil }
    let colleagues = try await assignments.colleagues(of: worker.name).filter { $0.role >= worker.role }
    let form = DecisionForm.record(
      file, typed: request == nil ? context.form : nil, problem: problem, moderator: try context.signedIn(),
      templates: try await templates.version(), catalog: pages.catalog, colleagues: colleagues, address: address, texts)
    var grid: RangeGrid?
    if let asked = file.rangeToDecide?.range, asked.size <= RangeGrid.most, let block = asked.blocks.first {
      grid = RangeGrid(items: try await bulks.items(Array(block)))
    }
    let totals = try await queueCounts.current()
    let left = totals.left(address.queue.filter, of: worker, texts)
    var context = context
    context.waiting = WaitingCaseCounts(totals.byLevel, level: worker.level)
    let page = CasePage(
      number: number, area: pages.areas.name(of: number.digits), file: file, worker: worker, address: address,
      claim: mine?.claim?.id, taken: taken, left: left,
      packs: await places, recipes: (try? await reading.outcome.get()) ?? [], notice: notice, form: form,
      changes: changes, problem: problem, commentsBefore: before, grid: grid)
    let status: HTTPResponse.Status = !changes.isEmpty ? .conflict : problem != nil ? .unprocessableContent : .ok
    guard address.page == .split else {
      return try pages.page("case", page.record(at: now, texts), context, status: status)
    }
    return try await queuePages.list(
      address.queue, after: address.after, notes: QueueNotes(), beside: page, context, status: status)
  }

  /// The notice about the last action; nil if the address names none, or one that did not happen.
  private func notice(
    _ request: Request?, _ address: CaseAddress, _ context: ServerRequestContext
  ) async throws -> DecisionNotice? {
    guard let did = request?.uri.queryParameters["did"].flatMap({ LastAction(String($0)) }) else { return nil }
    guard let id = did.decision else {
      guard did.what != "decision" else { return nil }
      return DecisionNotice(
        what: did.what, number: did.number, rejection: did.rejection ?? "", passing: did.event, hidden: address.hidden)
    }
    let history = try await decisions.history(of: did.number)
    guard let event = history.first(where: { $0.id == id }), case .decision(let treatment) = event.kind else {
      return nil
    }
    let (worker, isUndone) = (try context.worker, history.contains { $0.kind == .undo(id) })
    return DecisionNotice(
      what: isUndone ? "undo" : treatment.rawValue, number: did.number,
      undoable: !isUndone && DecisionRights.canUndo(event, worker) ? id : nil, hidden: address.hidden)
  }

  private static func isPurposeful(_ request: Request) -> Bool {
    guard let purpose else { return true }
    return request.headers[purpose]?.contains("prefetch") != true
  }
}

/// The result of the last action, with a button to undo it.
struct DecisionNotice {
  /// The end of the message's key `case.did.WHAT`.
  let what: String
  let number: Int64
  /// The decision that the button undoes; nil for no button.
  var undoable: UUID?
  /// The rejection that the button undoes; empty for none. See ``RejectionUndo``.
  var rejection = ""
  /// The event of a skip or an escalation that the button takes back; nil for none.
  var passing: UUID?
  /// The page and the filter, for the form that undoes the decision.
  let hidden: [TemplateRecord]

  func record(_ texts: Localizer) -> TemplateRecord {
    [
      "text": texts("case.did.\(what)", ["number": NumberText.text(number), "minutes": RejectionUndo.minutes(texts)]),
      "digits": number,
      "decision": undoable?.text ?? "", "rejection": rejection, "passing": passing?.text ?? "",
      "canUndo": undoable != nil || !rejection.isEmpty || passing != nil,
      "hidden": hidden,
    ]
  }
}

/// The previous page's action in an address: `decision.NUMBER.ID`, `reject.NUMBER.TIME`, `unsure.NUMBER.ID` and
/// `escalate.NUMBER.ID` with the id of the event, or another name with `.NUMBER`.
struct LastAction {
  let what: String
  let number: Int64
  var decision: UUID?
  /// See ``RejectionUndo``.
  var rejection: String?
  /// The event of a skip or an escalation.
  var event: UUID?

  init(decision: UUID, of number: Int64) {
    (what, self.number, self.decision) = ("decision", number, decision)
  }

  init(rejection: String, of number: Int64) {
    (what, self.number, self.rejection) = ("reject", number, rejection)
  }

  init(_ choice: DecisionForm.Choice, number: Int64, _ event: UUID? = nil) {
    (what, self.number, self.event) = (choice.rawValue, number, event)
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".").map(String.init)
    guard parts.count == 2 || parts.count == 3,
      Self.names.contains(parts[0]),
      let number = Int64(parts[1])
    else { return nil }
    (what, self.number) = (parts[0], number)
    let id = parts.count == 3 ? UUID(uuidString: parts[2]) : nil
    (decision, event) = what == "decision" ? (id, nil) : (nil, id)
    rejection = parts.count == 3 && what == "reject" ? Int64(parts[2]).map { "\($0)" } : nil
  }

  private static let names: Set = [
    "decision", "unsure", "escalate", "reject", "protect", "reopen", "too-late", "approve", "reject_range", "returned",
    "not-undone",
  ]

  var text: String {
    ([what, "\(number)"] + [(decision ?? event)?.text, rejection].compactMap { $0 }).joined(separator: ".")
  }
}
