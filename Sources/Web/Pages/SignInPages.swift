import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// Signing in with a one-time link, and signing out.
struct SignInPages: Sendable {
  let moderators: ModeratorStore
  let pages: PageRenderer
  let cookie: SessionCookie

  /// A link opens a page with one button, and the button uses the link up: programs that look at links before
  /// people do would otherwise spend it.
  @Sendable func form(_ request: Request, context: WebContext) -> Response {
    let token = request.uri.queryParameters["token"].map(String.init) ?? ""
    return withoutStore(pages.page("sign-in", ["token": token.utf8.count <= 128 ? token : ""], context))
  }

  @Sendable func signIn(_ request: Request, context: WebContext) async throws -> Response {
    guard let token = context.form["token"], token.utf8.count <= 128,
      let session = try await moderators.signIn(token: token, at: Date())
    else {
      return withoutStore(pages.page("sign-in", ["token": "", "failed": "1"], context, status: .forbidden))
    }
    var response = Response.redirect(to: ReturnAddress.home, type: .normal)
    response.setCookie(cookie.make(session, lifetime: Int(ModeratorStore.sessionLifetime)))
    return withoutStore(response)
  }

  @Sendable func signOut(_ request: Request, context: WebContext) async throws -> Response {
    if let token = cookie.read(request) { try await moderators.signOut(session: token) }
    var response = Response.redirect(to: "/sign-in", type: .normal)
    response.setCookie(cookie.gone)
    return response
  }

  private func withoutStore(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
