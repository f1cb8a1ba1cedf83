// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage
import Synchronization

/// Admits requests with a session; other requests are redirected to the sign-in page.
struct SessionMiddleware: RouterMiddleware {
  let sessions: SessionStore
  let queueCounts: QueueCountCache
  let cookies: SignInCookies
  let policy: SecondFactorPolicy
  let known: KnownSessions
  let turns: AccountTurns<Int32>

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let context = try await entered(request, context), let moderator = context.moderator else {
      let address = ReturnAddress(request).signIn
      // The sign-in page says that the form was not saved.
      let isForm = request.method == .post && request.uri.path != "/sign-out"
      return .redirect(to: isForm ? "\(address)\(address.contains("?") ? "&" : "?")ended=1" : address, type: .normal)
    }
    // The first session may open all pages. Later sessions may open only the account pages until a factor is set up.
    // An identity provider asks for the factors that it requires itself.
    let isMissing =
      policy.asks(moderator.role) && !moderator.hasSecondFactor && moderator.signIns > 1 && !moderator.isTied
    if isMissing, !Self.isOpen(request.uri.path) {
      return .redirect(to: SecondFactorPages.address, type: .normal)
    }
    var response = try await turns.take(moderator.id) { [context] in
      try await Stores.urgently { try await next(request, context) }
    }
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// The context with the account of the request's session; nil without a session.
  func entered(_ request: Request, _ context: ServerRequestContext) async throws -> ServerRequestContext? {
    guard let token = cookies.read(.session, request) else { return nil }
    // A stranger's cookie waits with all others.
    let found = try await Stores.urgently(known.contains(token)) {
      try await sessions.moderator(session: token, at: Date())
    }
    guard let moderator = found else { return nil }
    known.insert(token)
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

/// Sessions that this process has found in the database, whose requests do not wait behind lookups.
final class KnownSessions: Sendable {
  private let digests = Mutex<Set<SHA256Digest>>([])

  /// More sessions than a team has. After that, the set begins again.
  private static let most = 1_000

  func contains(_ token: String) -> Bool {
    let digest = SHA256.hash(data: Data(token.utf8))
    return digests.withLock { $0.contains(digest) }
  }

  func insert(_ token: String) {
    let digest = SHA256.hash(data: Data(token.utf8))
    digests.withLock { digests in
      if digests.count >= Self.most { digests = [] }
      digests.insert(digest)
    }
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
  var worker: Actor {
    get throws {
      guard let moderator else { throw Problem.notFound }
      return Actor(moderator)
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
