// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import PhoneNumbers
import Storage

/// Admits requests with a session; other requests are redirected to the sign-in page.
struct SessionMiddleware: RouterMiddleware {
  let sessions: SessionStore
  let queueCounts: QueueCountCache
  let cookies: SignInCookies
  let policy: SecondFactorPolicy

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    try await Stores.urgently { try await answer(request, context, next) }
  }

  private func answer(
    _ request: Request, _ context: ServerRequestContext,
    _ next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let context = try await entered(request, context), let moderator = context.moderator else {
      return .redirect(to: ReturnAddress(request).signIn, type: .normal)
    }
    // The first session may open all pages. Later sessions may open only the account pages until a factor is set up.
    let isMissing = policy.asks(moderator.role) && !moderator.hasSecondFactor && moderator.signIns > 1
    if isMissing, !Self.isOpen(request.uri.path) {
      return .redirect(to: SecondFactorPages.address, type: .normal)
    }
    var response = try await next(request, context)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// The context with the account of the request's session; nil without a session.
  func entered(_ request: Request, _ context: ServerRequestContext) async throws -> ServerRequestContext? {
    guard let token = cookies.read(.session, request),
      let moderator = try await sessions.moderator(session: token, at: Date())
    else { return nil }
    var context = context
    context.moderator = moderator
    context.csrf = FormToken.make(session: token)
    context.waiting = await queueCounts.waiting(for: moderator.role)
    if let language = moderator.language.flatMap(Language.init) { context.language = language }
    return context
  }

  /// Whether a page is open to an account that lacks its required second factor.
  private static func isOpen(_ path: String) -> Bool {
    path == AccountPages.address || path.hasPrefix(AccountPages.address + "/") || path == "/sign-out"
  }
}

/// Admits accounts with a role or a higher one; other accounts get a page that names the role.
struct RequireRole: RouterMiddleware {
  let role: Role

  init(_ role: Role) {
    self.role = role
  }

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let moderator = context.moderator, moderator.role >= role else { throw Problem.needs(role) }
    return try await next(request, context)
  }
}

extension ServerRequestContext {
  /// The name of the signed-in account; empty without a session.
  var account: String { moderator?.name ?? "" }
}

extension ServerRequestContext {
  /// The signed-in account and its role, for the queue.
  var worker: QueueWorker {
    get throws {
      guard let moderator else { throw Problem.notFound }
      return QueueWorker(account: moderator.name, role: moderator.role)
    }
  }

  /// The number in the path as E.164 digits. No other spelling is accepted: `0162…` is not the number +162….
  var number: PhoneNumber {
    get throws {
      guard let text = parameters.get("number"), case .canonical(let number) = NumberSpelling(text, country: nil) else {
        throw Problem.notFound
      }
      return number
    }
  }
}
