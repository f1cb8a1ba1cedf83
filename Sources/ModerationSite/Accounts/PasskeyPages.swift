// SPDX-License-Identifier: Apache-2.0

import Accounts
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

/// Pages to sign in by passkeys, and to add and remove them. A script asks the browser for each challenge's answer and
/// sends it in a form.
struct PasskeyPages: Sendable {
  let service: PasskeyService
  let account: AccountPages
  let signIn: SignInPages
  let access: AccessConfiguration

  static let address = AccountPages.address + "/passkeys"

  /// The problem with a challenge, for the script.
  private struct Refusal: Encodable { let problem: String }

  // Sign-in.

  @Sendable func startSignIn(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await challenge(.signIn, nil, request, context)
  }

  @Sendable func finishSignIn(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (next, site) = (ReturnAddress(context.form["next"]), try site(request))
    let outcome = try await signIn.signIn.signIn(
      passkey: context.form["credential"] ?? "", pending: signIn.cookies.read(.passkey, request), site: site,
      signIn.visitor(request, context), at: Date())
    let problem = signIn.pages.texts(context)("passkeys.refused")
    return ended(
      try signIn.answer(
        to: outcome, "sign-in", SignInPages.Values(next: next.path, problem: problem, site: site), next, context))
  }

  @Sendable func startStep(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let step = signIn.cookies.read(.step, request),
      let owner = try await signIn.sessions.credentials(step: step, at: Date())
    else { return refused("sign-in.expired", context) }
    return try await challenge(.step(step), (owner.id, owner.name), request, context)
  }

  @Sendable func finishStep(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (next, site) = (ReturnAddress(context.form["next"]), try site(request))
    guard let step = signIn.cookies.read(.step, request) else { return .redirect(to: next.signIn, type: .normal) }
    let outcome = try await signIn.signIn.signIn(
      step: step, passkey: context.form["credential"] ?? "", pending: signIn.cookies.read(.passkey, request),
      site: site, signIn.visitor(request, context), at: Date())
    var values = SignInPages.Values(next: next.path, site: site)
    values.problem = signIn.pages.texts(context)("passkeys.refused")
    if let owner = try await signIn.sessions.credentials(step: step, at: Date()) { values.add(owner) }
    return ended(try signIn.answer(to: outcome, "sign-in-code", values, next, context))
  }

  // The account's page.

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(request, context)
  }

  /// Makes a challenge for a new passkey, after the password.
  @Sendable func startAdding(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    guard moderator.hasPassword else { throw Problem.notFound }
    guard Self.name(context) != nil else { return refused("passkeys.bad-name", context) }
    if let problem = try await account.passwordProblem(moderator, "password", context) {
      return refused(problem, context)
    }
    return try await challenge(.add(session: moderator.sessionID), (moderator.id, moderator.name), request, context)
  }

  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    guard moderator.hasPassword, let name = Self.name(context) else { throw Problem.notFound }
    let token: String
    let codes: [String]
    do {
      (token, codes) = try await service.add(
        context.form["credential"] ?? "", name: name, pending: signIn.cookies.read(.passkey, request),
        site: try site(request), of: moderator, at: Date())
    } catch let refusal as PasskeyRefusal {
      return ended(try await show(request, context, problem: refusal == .full ? "passkeys.full" : "passkeys.not-added"))
    }
    guard codes.isEmpty else { return ended(try account.show(codes, token, context)) }
    return ended(account.back(.passkey, token, to: Self.address))
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    let id = Data(base64Encoded: context.form["passkey"] ?? "").map { Array($0) } ?? []
    let accounts = account.services.accounts
    guard let passkey = try await accounts.passkeys(of: moderator.id).first(where: { $0.id == id }) else {
      throw Problem.notFound
    }
    if let problem = try await account.passwordProblem(moderator, "password", context) {
      return try await show(request, context, problem: problem)
    }
    let token = try await accounts.removePasskey(passkey, of: moderator, at: Date())
    return account.back(.passkeyRemoved, token, to: Self.address)
  }

  private static func name(_ context: ServerRequestContext) -> String? {
    context.form.text("name").flatMap { try? RuleViolation.line($0, "name", atMost: TextLimit.author) }
  }

  private func show(
    _ request: Request, _ context: ServerRequestContext, problem: String? = nil
  ) async throws -> Response {
    let (moderator, texts) = (try context.signedIn(), account.pages.texts(context))
    let rows = try await account.services.accounts.passkeys(of: moderator.id).map { passkey -> TemplateRecord in
      [
        "id": Data(passkey.id).base64EncodedString(), "name": passkey.name,
        "added": PageTime(passkey.addedAt, texts), "used": passkey.usedAt.map { PageTime($0, texts) },
      ]
    }
    let done = request.uri.queryParameters["done"].flatMap { AccountPages.Done(rawValue: String($0)) }
    return try account.pages.page(
      "passkeys",
      [
        "rows": rows, "hasPassword": moderator.hasPassword,
        "hasSite": PasskeySite(address: access.address(for: request)) != nil,
        "notice": done.map { texts("account.done-\($0.rawValue)") } ?? "", "problem": problem.map { texts($0) } ?? "",
      ], context, status: problem == nil ? .ok : .unprocessableContent)
  }

  // Challenges.

  private func challenge(
    _ purpose: PasskeyPurpose, _ owner: (id: Int32, name: String)?, _ request: Request, _ context: ServerRequestContext
  ) async throws -> Response {
    let (options, pending) = try await service.start(purpose, account: owner, site: try site(request), at: Date())
    var response = JSON.response(options)
    response.setCookie(signIn.cookies.make(.passkey, pending, lifetime: PasskeyService.lifetime))
    return signIn.withoutStore(response)
  }

  private func refused(_ key: String, _ context: ServerRequestContext) -> Response {
    JSON.response(Refusal(problem: account.pages.texts(context)(key)), status: .unprocessableContent)
  }

  /// Without the challenge, which is used up.
  private func ended(_ response: Response) -> Response {
    var response = response
    response.setCookie(signIn.cookies.gone(.passkey))
    return response
  }

  private func site(_ request: Request) throws -> PasskeySite {
    guard let site = PasskeySite(address: access.address(for: request)) else { throw Problem.notFound }
    return site
  }
}
