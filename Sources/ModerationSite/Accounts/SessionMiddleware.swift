import HTTPServer
import Localization
import Foundation
import HTTPTypes
import Hummingbird
import Storage

/// Lets in moderators who have signed in; others are sent to the sign-in page.
struct SessionMiddleware: RouterMiddleware {
  let moderators: SessionStore
  let queueCounts: QueueCountCache
  let cookies: SignInCookies
  let policy: SecondFactorPolicy

  func handle(
    _ request: Request, context: ServerRequestContext, next: (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let token = cookies.read(.session, request), let moderator = try await moderator(of: token) else {
      return .redirect(to: ReturnAddress(request).signIn, type: .normal)
    }
    var context = context
    context.moderator = moderator
    context.csrf = FormToken.make(session: token)
    context.waiting = await queueCounts.waiting(for: moderator.role)
    if let language = moderator.language.flatMap(Language.init) { context.language = language }
    // The first session has the time to set it up; after that nothing else is to be had without.
    let isMissing = policy.asks(moderator.role) && !moderator.hasSecondFactor && moderator.signIns > 1
    if isMissing, !Self.isOpen(request.uri.path) {
      return .redirect(to: SecondFactorPages.address, type: .normal)
    }
    var response = try await next(request, context)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// - Throws: `DeadlineExceeded` where the database does not answer.
  private func moderator(of token: String) async throws -> Session? {
    try await withDeadline { [moderators] in try await moderators.moderator(session: token, at: Date()) }
  }

  /// Whether a page can be had without a second factor that the account must have.
  private static func isOpen(_ path: String) -> Bool {
    path == AccountPages.address || path.hasPrefix(AccountPages.address + "/") || path == "/sign-out"
  }
}
