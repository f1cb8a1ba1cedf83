// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers

/// `/`: what the public can do on this server, with a link for moderators. It leads a browser with a session to the
/// moderation pages, and a number in its form to the number's page.
struct StartPage: Sendable {
  /// Whether numbers have public pages.
  let hasNumbers: Bool
  let hasLists: Bool
  let cookies: SignInCookies
  let pages: PageRenderer

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard cookies.read(.session, request) == nil else { return .redirect(to: ReturnAddress.home, type: .normal) }
    // As a browser encodes a form, whose spaces are plus signs.
    let typed = Form(encoded: request.uri.query ?? "")?["number"].map { String($0.prefix(NumberField.longest + 1)) }
    var problem = ""
    if hasNumbers, let typed {
      let country = request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:))
      switch NumberField.read(typed.trimmingCharacters(in: .whitespaces), country: country) {
      case .success(let number): return .redirect(to: "/number/\(number.digits)", type: .normal)
      case .failure(let found): problem = pages.texts(context)(found.key)
      }
    }
    return try pages.page(
      "start", ["hasNumbers": hasNumbers, "hasLists": hasLists, "number": typed ?? "", "problem": problem], context,
      status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}
