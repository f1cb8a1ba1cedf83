// SPDX-License-Identifier: Apache-2.0

import Localization
import HTTPServer
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `/appeal`: the owner of a number files an appeal, gets a ticket and reads the answer.
struct PublicAppealPages: Sendable {
  let appeals: AppealStore
  let stamps: AppealStamps
  let limits: AppealRateLimit
  let countries: CountryChoices
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
    guard let number, let filing = draft.filing(number, at: now) else {
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
      let ticket = stamps.ticket(for: id) ?? AppealTicket()
      let origin = context.clientAddress.map(origin) ?? .unknown
      switch try await appeals.file(filing, ticket: ticket, stamp: (id, expiresAt), from: origin) {
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
    return Self.unstored(
      try pages.page("appeal-status", AppealStatusPage(ticket, status, pages.texts(context)), context))
  }

  private func show(
    _ draft: AppealDraft, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok, stamp: String? = nil
  ) throws -> Response {
    // A form that was refused only because it came too soon keeps its stamp.
    let page = AppealFormPage(
      draft, countries: countries.list(context.language, chosen: draft.country), stamps: stamps,
      stamp: stamp ?? stamps.make(at: Date()))
    return Self.unstored(try pages.page("appeal", page, context, status: status))
  }

  private static func country(of request: Request) -> String? {
    request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:))
  }

  private static func unstored(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    response.headers[.robots] = "noindex"
    return response
  }
}
