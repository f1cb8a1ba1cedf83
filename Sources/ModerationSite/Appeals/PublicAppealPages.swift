// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Moderation
import PhoneNumbers
import Storage

/// `/appeal`: the owner of a number files an appeal, gets a ticket and reads the answer.
struct PublicAppealPages: Sendable {
  let appeals: AppealStore
  let explanations: ExplanationStore
  let newest: NewestManifest
  let service: AppealService
  let stamps: AppealStamps
  let limits: AppealRateLimit
  /// The longest time that an appeal should wait, in seconds.
  let target: TimeInterval
  /// Whether answers are mailed.
  let sendsMail: Bool
  /// Derives the stored origin from an address.
  let origin: @Sendable (String) -> FilingOrigin
  let pages: PageRenderer

  @Sendable func form(_ request: Request, context: ServerRequestContext) async throws -> Response {
    var draft = AppealDraft(country: Self.country(of: request))
    if let number = request.uri.queryParameters["number"], number.utf8.count <= NumberField.longest {
      let plain = number.drop { $0 == "+" || $0 == " " }
      draft.number = Int64(plain).flatMap(PhoneNumber.init(digits:))?.formatted(.international) ?? ""
    }
    return try show(draft, context)
  }

  @Sendable func file(_ request: Request, context: ServerRequestContext) async throws -> Response {
    var draft = AppealDraft(context.form)
    let number = draft.check(pages.texts(context))
    let now = Date()
    guard let number, let filing = draft.filing(number, at: now, context.language) else {
      return try show(draft, context, status: .unprocessableContent)
    }
    let stamp = context.form["stamp"] ?? ""
    let texts = pages.texts(context)
    switch stamps.check(stamp, nonce: context.form["nonce"], at: now) {
    case .good(let id, let expiresAt, let isWorked):
      guard limits.take(context.network, isWorked: isWorked) else {
        draft.problem = texts("appeal.limited")
        return try show(draft, context, status: .tooManyRequests, stamp: stamp)
      }
      guard let ticket = stamps.ticket(for: id) else { throw Problem.notFound }
      let origin = context.clientAddress.map(origin) ?? .unknown
      switch try await service.file(
        filing, ticket: ticket, stamp: (id, expiresAt), givesTicket: true, from: origin)
      {
      case .filed, .joined, .filedBefore:
        return .redirect(to: "/appeal/\(ticket.code)", type: .normal)
      case .stampSpent: draft.problem = texts("appeal.spent")
      case .crowded:
        draft.problem = texts("appeal.crowded")
        return try show(draft, context, status: .conflict, stamp: stamp)
      }
    case .tooSoon(let seconds):
      draft.problem = texts.count("appeal.soon", seconds)
      return try show(draft, context, status: .unprocessableContent, stamp: stamp)
    case .expired: draft.problem = texts("appeal.expired")
    case .invalid: draft.problem = texts("appeal.invalid")
    }
    return try show(draft, context, status: .unprocessableContent)
  }

  /// Redirects from a typed ticket to its page.
  @Sendable func find(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let ticket = AppealTicket(String(request.uri.queryParameters["ticket"] ?? "")) else {
      var draft = AppealDraft(country: Self.country(of: request))
      draft.ticketProblem = pages.texts(context)("appeal.no-ticket")
      return try show(draft, context, status: .notFound)
    }
    return .redirect(to: "/appeal/\(ticket.code)", type: .normal)
  }

  @Sendable func status(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let ticket = AppealTicket(try context.parameters.require("ticket")),
      let status = try await appeals.status(of: ticket, at: Date())
    else { throw Problem.notFound }
    let texts = pages.texts(context)
    let explanation = try await newest.stating(
      try await explanations.explainCoarsely(status.appeal.number, at: Date()), appeals)
    let page = status.record(ticket, target: target, texts).adding(["reasons": explanation.publicReasons(texts)])
    return Self.unstored(try pages.page("appeal-status", page, context))
  }

  private func show(
    _ draft: AppealDraft, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok, stamp: String? = nil
  ) throws -> Response {
    // A form that was refused only because it came too soon keeps its stamp.
    let form: TemplateRecord = [
      "countries": try pages.countries.list(context.language, chosen: draft.country),
      "stamp": stamp ?? stamps.make(at: Date()), "sendsMail": sendsMail,
      "difficulty": stamps.difficulty, "delay": stamps.delay,
    ]
    return Self.unstored(try pages.page("appeal", draft.record.adding(form), context, status: status))
  }

  private static func country(of request: Request) -> String? {
    request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:))
  }

  /// Keeps a page out of caches and search engines.
  static func unstored(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    response.headers[.robots] = "noindex"
    return response
  }
}

/// The text typed into the appeal form, with its errors.
struct AppealDraft {
  var number = ""
  var country: String?
  var statement = ""
  var contact = ""
  var numberProblem = ""
  var statementProblem = ""
  var contactProblem = ""
  /// An error that concerns no single field.
  var problem = ""
  var ticketProblem = ""

  init(country: String?) {
    self.country = country
  }

  init(_ form: Form) {
    // Overlong text is cut before the page shows it again.
    number = String((form.text("number") ?? "").prefix(NumberField.longest + 1))
    country = form.text("country").flatMap { PhoneRegion($0)?.code }
    statement = form.text("statement") ?? ""
    contact = form.text("contact") ?? ""
  }

  var hasProblem: Bool { !(numberProblem + statementProblem + contactProblem).isEmpty }

  /// Checks the fields and notes their errors.
  /// - Returns: the number; nil if there is an error.
  mutating func check(_ texts: Localizer) -> PhoneNumber? {
    var phone: PhoneNumber?
    switch NumberField.read(number, country: country) {
    case .success(let read): phone = read
    case .failure(let problem): numberProblem = texts(problem.key)
    }
    do throws(RuleViolation) {
      statement = try AppealFiling.statement(statement)
    } catch {
      statementProblem = Self.problem(ofStatement: statement, texts)
    }
    do throws(RuleViolation) {
      contact = try AppealFiling.contact(contact) ?? ""
    } catch {
      contactProblem = texts("appeal.contact-wrong", ["most": texts.number(AppealFiling.maxContact)])
    }
    return hasProblem ? nil : phone
  }

  static func problem(ofStatement statement: String, _ texts: Localizer) -> String {
    statement.isEmpty
      ? texts("appeal.statement-empty")
      : texts("appeal.statement-long", ["most": texts.number(AppealFiling.maxStatement)])
  }

  func filing(_ number: PhoneNumber, at time: Date, _ language: Language) -> AppealFiling? {
    try? AppealFiling(
      number: number.digits, statement: statement, contact: contact, filedAt: time, language: language.rawValue)
  }

  /// The fields of the template `appeal`.
  var record: TemplateRecord {
    [
      "number": number, "statement": statement, "contact": contact, "numberProblem": numberProblem,
      "statementProblem": statementProblem, "contactProblem": contactProblem, "problem": problem,
      "ticketProblem": ticketProblem, "maxStatement": AppealFiling.maxStatement,
      "maxContact": AppealFiling.maxContact,
    ]
  }
}

extension AppealStatus {
  /// Values of the template `appeal-status`. `account` is the automatic first answer: how the number is listed, and the
  /// next steps.
  func record(_ ticket: AppealTicket, target: TimeInterval, _ texts: Localizer) -> TemplateRecord {
    [
      "ticket": ticket.code, "number": NumberText.unbroken(appeal.number),
      "state": texts("appeal.state-\(appeal.state.rawValue)"), "tone": appeal.state.tone,
      "account": [listing(texts)] + next(target, texts), "answer": appeal.answer.map(texts.reason) ?? "",
      "answeredAt": appeal.answeredAt.map { PageTime($0, texts) }, "filedAt": PageTime(appeal.filedAt, texts),
      "statement": appeal.statement,
    ]
  }

  private func listing(_ texts: Localizer) -> String {
    guard let listing else { return texts("appeal.not-listed") }
    let values = ["category": texts.category(listing.category), "since": PageTime(listing.listedAt, texts).text]
    return texts(listing.treatment == .block ? "appeal.listed-blocked" : "appeal.listed-named", values)
  }

  private func next(_ target: TimeInterval, _ texts: Localizer) -> [String] {
    switch appeal.state {
    case .open:
      blocked(texts) + [texts(listing == nil ? "appeal.next-unlisted" : "appeal.next-open")]
        + usualTime(target, texts)
    case .upheld: [texts(listing == nil ? "appeal.next-upheld" : "appeal.next-upheld-soon")]
    case .rejected: [texts(listing == nil ? "appeal.next-rejected-unlisted" : "appeal.next-rejected")]
    }
  }

  /// The median of the last answers; until there are enough of them, the operator's target.
  private func usualTime(_ target: TimeInterval, _ texts: Localizer) -> [String] {
    guard let answerTime else { return [texts("appeal.target", ["day": texts.day(appeal.filedAt + target)])] }
    let hours = Int((answerTime / 3_600).rounded(.up))
    return [
      hours <= 48
        ? texts.count("appeal.usual-hours", max(1, hours))
        : texts.count("appeal.usual-days", Int((answerTime / 86_400).rounded(.up)))
    ]
  }

  /// How long a blocked number stays so while the appeal is open.
  private func blocked(_ texts: Localizer) -> [String] {
    guard listing?.treatment == .block else { return [] }
    switch decision {
    case .block: return [texts("appeal.next-decided")]
    case .identify: return [texts("appeal.next-label")]
    case .allow: return []
    case nil: return isVictim ? [texts("appeal.next-victim")] : []
    }
  }
}
