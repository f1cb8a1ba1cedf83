// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Moderation
import NIOCore
import PhoneNumbers
import Storage

/// `/rights`: a person proves control of a number, then reads its data, objects, or suppresses it. All answers before the
/// proof are the same for every number.
struct OwnerRightsPages: Sendable {
  let rights: RightsService
  let appeals: AppealService
  let stamps: AppealStamps
  let limits: AppealRateLimit
  let pages: PageRenderer

  static let address = "/rights"

  @Sendable func form(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try show(context)
  }

  /// Sends a code to the number by the operator's gateway.
  @Sendable func send(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (texts, now, stamp) = (pages.texts(context), Date(), context.form["stamp"] ?? "")
    let number: PhoneNumber
    switch read(context) {
    case .success(let read): number = read
    case .failure(let problem): return try show(context, numberProblem: texts(problem.key))
    }
    let form: (id: [UInt8], expiresAt: Date)
    switch stamps.check(stamp, nonce: context.form["nonce"], at: now) {
    case .good(let id, let expiresAt, let isWorked):
      guard limits.take(context.network, isWorked: isWorked) else {
        return try show(context, problem: texts("rights.limited"), status: .tooManyRequests, stamp: stamp)
      }
      form = (id, expiresAt)
    case .tooSoon(let seconds): return try show(context, problem: texts.count("rights.soon", seconds), stamp: stamp)
    case .expired, .invalid: return try show(context, problem: texts("rights.expired"))
    }
    guard try await rights.sendCode(to: number.digits, form: form, at: now) else {
      return try show(context, problem: texts("rights.day-limited"), status: .tooManyRequests, stamp: stamp)
    }
    return try show(context, done: texts("rights.sent"), status: .ok)
  }

  /// Exchanges a code for a pass.
  @Sendable func enter(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    switch read(context) {
    case .failure(let problem): return try show(context, codeProblem: texts(problem.key))
    case .success(let number):
      guard let pass = try await rights.enter(context.form["code"] ?? "", for: number.digits, at: Date()) else {
        return try show(context, codeProblem: texts("rights.wrong"))
      }
      return .redirect(to: "\(Self.address)/\(pass.code)", type: .normal)
    }
  }

  /// Everything that is stored about the number.
  @Sendable func data(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (open, pass, texts) = try await owned(context)
    return try await shown(open, pass, context, done: texts.find("rights.done-\(request.query("done"))") ?? "")
  }

  @Sendable func json(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (open, _, _) = try await owned(context)
    let data = try await rights.data(of: open)
    let body = RightsService.json(data, of: open.number, at: Date())
    return PublicAppealPages.unstored(
      Response(
        status: .ok,
        headers: [
          .contentType: JSON.contentType, .contentDisposition: "attachment; filename=\"number.json\"",
        ], body: .init(byteBuffer: ByteBuffer(bytes: body))))
  }

  /// Files an objection, which a moderator answers with a note that balances the interests.
  @Sendable func object(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (open, pass, texts) = try await owned(context)
    var filing: AppealFiling
    let statement = context.form.text("statement") ?? ""
    do throws(RuleViolation) {
      filing = try AppealFiling(
        number: open.number, statement: statement, contact: nil, filedAt: Date(),
        language: context.language.rawValue)
    } catch {
      return try await shown(open, pass, context, problem: AppealDraft.problem(ofStatement: statement, texts))
    }
    filing.isObjection = true
    // One objection of each pass, with the same ticket where it is sent twice.
    let stamp = (Array(pass.hash.suffix(16)), Date() + OwnerProofStore.passLifetime)
    let ticket = AppealTicket(bytes: Array(pass.hash.prefix(20))) ?? pass
    guard try await appeals.file(filing, ticket: ticket, stamp: stamp) != .stampSpent else {
      return try await shown(open, pass, context, problem: texts("rights.objected"))
    }
    return .redirect(to: "/appeal/\(ticket.code)", type: .normal)
  }

  @Sendable func suppress(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (open, pass, _) = try await owned(context)
    try await rights.suppress(open.number, at: Date())
    return .redirect(to: "\(Self.address)/\(pass.code)?done=suppressed", type: .normal)
  }

  /// The pass in the path, and what it opens.
  private func owned(
    _ context: ServerRequestContext
  ) async throws -> (open: OwnerPass, pass: AppealTicket, texts: Localizer) {
    guard let pass = AppealTicket(try context.parameters.require("pass")),
      let open = try await rights.pass(pass, at: Date())
    else { throw Problem.notFound }
    return (open, pass, pages.texts(context))
  }

  private func read(_ context: ServerRequestContext) -> Result<PhoneNumber, NumberFieldProblem> {
    let country = context.form.text("country").flatMap { PhoneRegion($0)?.code }
    return NumberField.read(
      String((context.form.text("number") ?? "").prefix(NumberField.longest + 1)), country: country)
  }

  private func shown(
    _ open: OwnerPass, _ pass: AppealTicket, _ context: ServerRequestContext, problem: String = "", done: String = ""
  ) async throws -> Response {
    let (number, texts) = (open.number, pages.texts(context))
    let data = try await rights.data(of: open)
    let kinds = NumberTable.Kind.allCases.compactMap { kind -> TemplateRecord? in
      let rows = data.filter { $0.kind == kind }.flatMap(\.rows)
      return rows.isEmpty
        ? nil
        : [
          "name": texts("rights.kind-\(kind.rawValue)"), "count": texts.count("rights.rows", rows.count),
          "rows": rows.prefix(Self.shownRows).joined(separator: "\n"),
        ]
    }
    let page: TemplateRecord = [
      "number": NumberText.unbroken(number), "pass": pass.code, "kinds": kinds, "problem": problem, "done": done,
      "most": texts.number(Self.shownRows), "maxStatement": AppealFiling.maxStatement,
      "statement": String((context.form.text("statement") ?? "").prefix(2 * AppealFiling.maxStatement)),
      "isSuppressed": try await rights.isSuppressed(number),
    ]
    return PublicAppealPages.unstored(
      try pages.page("rights-number", page, context, status: problem.isEmpty ? .ok : .unprocessableContent))
  }

  /// The most rows of a kind on the page; the JSON has all.
  private static let shownRows = 50

  private func show(
    _ context: ServerRequestContext, numberProblem: String = "", codeProblem: String = "", problem: String = "",
    done: String = "", status: HTTPResponse.Status = .unprocessableContent, stamp: String? = nil
  ) throws -> Response {
    let isFirst = numberProblem.isEmpty && codeProblem.isEmpty && problem.isEmpty
    let country = context.form.text("country").flatMap { PhoneRegion($0)?.code }
    // The form for the code has no country.
    let number = (try? read(context).get())?.formatted(.international) ?? context.form.text("number") ?? ""
    let page: TemplateRecord = [
      "number": String(number.prefix(NumberField.longest)),
      "countries": try pages.countries.list(context.language, chosen: country), "numberProblem": numberProblem,
      "codeProblem": codeProblem, "problem": problem, "done": done, "sendsCodes": rights.sendsCodes,
      "stamp": stamp ?? stamps.make(at: Date()), "difficulty": stamps.difficulty, "delay": stamps.delay,
    ]
    return PublicAppealPages.unstored(try pages.page("rights", page, context, status: isFirst ? .ok : status))
  }
}
