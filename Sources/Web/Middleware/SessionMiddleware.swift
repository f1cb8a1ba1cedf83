import Foundation
import HTTPTypes
import Hummingbird
import Storage

/// Lets in moderators who have signed in; others are sent to the sign-in page.
struct SessionMiddleware: RouterMiddleware {
  let moderators: ModeratorStore
  let waiting: WaitingCount
  let cookie: SessionCookie

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let token = cookie.read(request), let moderator = try await moderators.moderator(session: token, at: Date())
    else { return .redirect(to: ReturnAddress(request).signIn, type: .normal) }
    var context = context
    context.moderator = moderator
    context.csrf = FormToken.make(session: token)
    context.waiting = await waiting.count()
    if let language = moderator.language.flatMap(Language.init) { context.language = language }
    var response = try await next(request, context)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
