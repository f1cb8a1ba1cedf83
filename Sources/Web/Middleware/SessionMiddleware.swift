import Foundation
import HTTPTypes
import Hummingbird
import Storage

/// Lets in moderators who have signed in; others are sent to the sign-in page.
struct SessionMiddleware: RouterMiddleware {
  let moderators: ModeratorStore

  static let cookie = "ringfence_session"

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let token = request.cookies[Self.cookie]?.value, token.utf8.count <= 128,
      let moderator = try await moderators.moderator(session: token, at: Date())
    else { return .redirect(to: "/sign-in", type: .normal) }
    var context = context
    context.moderator = moderator
    var response = try await next(request, context)
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
