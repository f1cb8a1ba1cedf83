// SPDX-License-Identifier: Apache-2.0

import Accounts
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

/// Pages to sign in with an identity provider, and to sign out there.
struct SignOnPages: Sendable {
  let service: SignOnService
  let signIn: SignInPages
  let access: AccessConfiguration

  static let address = "/sign-in/provider"

  private static let refresh = HTTPField.Name("Refresh")!

  /// Leads to the provider.
  @Sendable func start(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let next = ReturnAddress(request.uri.queryParameters["next"].map(String.init))
    do {
      let (address, pending) = try await service.start(
        redirect: "\(access.address(for: request))\(Self.address)/callback", next: next.path, at: Date())
      var response = Response.redirect(to: address, type: .normal)
      response.setCookie(signIn.cookies.make(.signOn, pending, lifetime: SignOnService.lifetime))
      return signIn.withoutStore(response)
    } catch let refusal as SignOnRefusal {
      return try refused(refusal, next, request, context)
    }
  }

  /// Receives the provider's answer. Programs that only check an address send HEAD, and must not use up the answer.
  @Sendable func finish(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard request.method == .get else { throw Problem.methodNotAllowed([.get]) }
    let pending = signIn.cookies.read(.signOn, request)
    let answer = SignOnAnswer { request.uri.queryParameters[Substring($0)].map(String.init) }
    var response: Response
    var isOver = true
    do {
      let (entrance, next, kept) = try await service.finish(
        answer, pending: pending, signIn.visitor(request, context), at: Date())
      response = signIn.entered(entrance, "", ReturnAddress(next))
      if kept.utf8.count <= SignInCookies.Kind.provider.maxBytes {
        response.setCookie(signIn.cookies.make(.provider, kept, lifetime: signIn.cookies.sessionLifetime))
      }
    } catch let refusal as SignOnRefusal {
      response = try refused(refusal, ReturnAddress(service.next(pending: pending)), request, context)
      // The browser may have another sign-in, in another tab, to which its cookie belongs.
      isOver = refusal != .state
    }
    if isOver { response.setCookie(signIn.cookies.gone(.signOn)) }
    return response
  }

  /// Ends the session, and leads a person of the provider to the provider's own sign-out if it has one. It has no address
  /// of its own, which pages of other sites could open.
  @Sendable func signOut(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let signedOut = try await signIn.signOut(request, context: context)
    guard context.moderator?.isTied == true else { return signedOut }
    let back = "\(access.address(for: request))/sign-in"
    let kept = signIn.cookies.read(.provider, request)
    guard let address = await service.endSession(kept: kept, back: back, at: Date()) else {
      return signedOut
    }
    let (texts, names) = (signIn.pages.texts(context), ["provider": service.name])
    var response = try signIn.pages.page(
      "sign-on-out",
      ["about": texts("sign-on.out-about", names), "address": address, "button": texts("sign-on.out", names)], context)
    // Works without scripts, and the policy for forms does not apply to it.
    response.headers[Self.refresh] = "0;url=\(address)"
    // A form may not lead to another server, so the page of its answer does.
    for cookie in signIn.cookies.signedOut { response.setCookie(cookie) }
    return signIn.withoutStore(response)
  }

  /// The sign-in page with the reason of a refusal. A person with a password can sign in there.
  private func refused(
    _ refusal: SignOnRefusal, _ next: ReturnAddress, _ request: Request, _ context: ServerRequestContext
  ) throws -> Response {
    let key =
      switch refusal {
      case .state: "again"
      case .denied: "denied"
      case .unreachable: "unreachable"
      case .noAccount, .disabled: "no-account"
      case .noRole: "no-role"
      case .provider, .code, .malformed, .algorithm, .key, .signature, .issuer, .audience, .nonce, .expired, .early:
        "invalid"
      }
    let problem = signIn.pages.texts(context)("sign-on.\(key)", ["provider": service.name])
    return try signIn.show(
      SignInPages.Values(next: next.path, problem: problem, site: signIn.site(request)), context,
      status: refusal == .unreachable ? .serviceUnavailable : .forbidden)
  }
}
