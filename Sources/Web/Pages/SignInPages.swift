import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// Signing in with a one-time link, and signing out.
struct SignInPages: Sendable {
  let moderators: ModeratorStore
  let pages: PageRenderer
  let isSecure: Bool

  /// A link opens a page with one button, and the button uses the link up: programs that look at links before
  /// people do would otherwise spend it.
  @Sendable func form(_ request: Request, context: WebContext) -> Response {
    let token = request.uri.queryParameters["token"].map(String.init) ?? ""
    return withoutStore(pages.page("sign-in", ["token": token.utf8.count <= 128 ? token : ""]))
  }

  @Sendable func signIn(_ request: Request, context: WebContext) async throws -> Response {
    guard let token = try await token(in: request), let session = try await moderators.signIn(token: token, at: Date())
    else {
      return withoutStore(pages.page("sign-in", ["token": "", "failed": "1"], status: .forbidden))
    }
    var response = Response.redirect(to: "/moderation", type: .normal)
    response.setCookie(cookie(session, maxAge: Int(ModeratorStore.sessionLifetime)))
    return withoutStore(response)
  }

  @Sendable func signOut(_ request: Request, context: WebContext) async throws -> Response {
    if let token = request.cookies[SessionMiddleware.cookie]?.value, token.utf8.count <= 128 {
      try await moderators.signOut(session: token)
    }
    var response = Response.redirect(to: "/sign-in", type: .normal)
    response.setCookie(cookie("", maxAge: 0))
    return response
  }

  /// The token of the form; nil when the body is no such form.
  private func token(in request: Request) async throws -> String? {
    // A token and its name take less than 200 bytes.
    guard let body = try? await request.body.collect(upTo: 1_024),
      let form = try? URLEncodedFormDecoder().decode(SignInForm.self, from: String(buffer: body)),
      form.token.utf8.count <= 128
    else { return nil }
    return form.token
  }

  private func cookie(_ value: String, maxAge: Int) -> Cookie {
    Cookie(
      name: SessionMiddleware.cookie, value: value, maxAge: maxAge, path: "/", secure: isSecure, httpOnly: true,
      sameSite: .lax)
  }

  private func withoutStore(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

private struct SignInForm: Decodable {
  let token: String
}
