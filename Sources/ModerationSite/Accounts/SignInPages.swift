// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// Pages to sign in with a one-time link or a name and password, then the second factor, and to sign out.
struct SignInPages: Sendable {
  let sessions: SessionStore
  let signIn: SignInService
  let pages: PageRenderer
  let cookies: SignInCookies
  /// Replaces the network of an address by its keyed hash.
  let network: @Sendable (String) -> [UInt8]?

  /// Values of the template `sign-in`, and of `sign-in-code`.
  struct Values: Encodable {
    var token = ""
    var next = ReturnAddress.home
    var name = ""
    var problem = ""
  }

  /// Opens a page with one button; the button uses the link. Link scanners that open addresses do not consume it.
  @Sendable func form(_ request: Request, context: ServerRequestContext) throws -> Response {
    let token = request.uri.queryParameters["token"].map(String.init) ?? ""
    let next = ReturnAddress(request.uri.queryParameters["next"].map(String.init))
    return try show(Values(token: token.utf8.count <= 128 ? token : "", next: next.path), context)
  }

  @Sendable func signIn(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, time) = (context.form, Date())
    let next = ReturnAddress(form["next"])
    let outcome: SignInOutcome
    var values = Values(next: next.path)
    if let token = form["token"] {
      guard token.utf8.count <= 128 else {
        return try show(values.with("sign-in.used", pages.texts(context)), context, status: .forbidden)
      }
      outcome = try await signIn.signIn(link: token, visitor(request, context), at: time)
      values.problem = pages.texts(context)("sign-in.used")
    } else {
      values.name = String((form.text("name") ?? "").prefix(80))
      outcome = try await signIn.signIn(
        name: values.name, password: form["password"] ?? "", visitor(request, context), at: time)
      values.problem = pages.texts(context)("sign-in.wrong")
    }
    return try answer(to: outcome, "sign-in", values, next, context)
  }

  @Sendable func codeForm(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let next = ReturnAddress(request.uri.queryParameters["next"].map(String.init))
    guard let step = cookies.read(.step, request),
      let account = try await sessions.credentials(step: step, at: Date())
    else { return .redirect(to: next.signIn, type: .normal) }
    return withoutStore(try pages.page("sign-in-code", Values(next: next.path, name: account.name), context))
  }

  @Sendable func signInByCode(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let next = ReturnAddress(context.form["next"])
    guard let step = cookies.read(.step, request) else { return .redirect(to: next.signIn, type: .normal) }
    let typed = String((context.form["code"] ?? "").prefix(40))
    let outcome = try await signIn.signIn(step: step, typed: typed, visitor(request, context), at: Date())
    var values = Values(next: next.path)
    values.problem = pages.texts(context)("sign-in.wrong-code")
    return try answer(to: outcome, "sign-in-code", values, next, context)
  }

  @Sendable func signOut(_ request: Request, context: ServerRequestContext) async throws -> Response {
    if let token = cookies.read(.session, request) { try await sessions.signOut(session: token, at: Date()) }
    var response = Response.redirect(to: "/sign-in", type: .normal)
    response.setCookie(cookies.gone(.session))
    return response
  }

  private func answer(
    to outcome: SignInOutcome, _ page: String, _ values: Values, _ next: ReturnAddress, _ context: ServerRequestContext
  ) throws -> Response {
    var values = values
    let texts = pages.texts(context)
    switch outcome {
    case .entered(let entrance, let browser):
      return entered(entrance, browser, next)
    case .refused:
      return try show(values, page: page, context, status: .forbidden)
    case .expired:
      values.problem = texts("sign-in.expired")
      return try show(values, context, status: .forbidden)
    case .later(let seconds):
      values.problem =
        seconds < 90
        ? texts.count("sign-in.later-seconds", seconds) : texts.count("sign-in.later-minutes", (seconds + 59) / 60)
      var response = try show(values, page: page, context, status: .tooManyRequests)
      response.headers[.retryAfter] = String(seconds)
      return response
    }
  }

  private func entered(_ entrance: FirstFactor, _ browser: String, _ next: ReturnAddress) -> Response {
    var response: Response
    switch entrance {
    case .session(let token, let isNew):
      response = .redirect(to: isNew ? "/moderation/account?welcome=1" : next.path, type: .normal)
      response.setCookie(cookies.make(.session, token, lifetime: SessionStore.sessionLifetime))
    case .secondFactor(let token):
      let address = next.signIn.replacing("/sign-in", with: "/sign-in/code", maxReplacements: 1)
      response = .redirect(to: address, type: .normal)
      response.setCookie(cookies.make(.step, token, lifetime: SessionStore.stepLifetime))
    }
    // 180 days.
    if !browser.isEmpty { response.setCookie(cookies.make(.browser, browser, lifetime: 180 * 86_400)) }
    return withoutStore(response)
  }

  private func visitor(_ request: Request, _ context: ServerRequestContext) -> Visitor {
    Visitor(
      network: context.clientAddress.flatMap(network) ?? [], known: cookies.read(.browser, request),
      session: cookies.read(.session, request), browser: BrowserName.of(request.headers[.userAgent]))
  }

  private func show(
    _ values: Values, page: String = "sign-in", _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    withoutStore(try pages.page(page, values, context, status: status))
  }

  private func withoutStore(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

extension SignInPages.Values {
  fileprivate func with(_ problem: String, _ texts: Localizer) -> Self {
    var values = self
    values.problem = texts(problem)
    return values
  }
}
