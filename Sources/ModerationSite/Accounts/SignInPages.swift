// SPDX-License-Identifier: Apache-2.0

import Accounts
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// Pages to sign in with a one-time link or a name and password, then the second factor, and to sign out.
struct SignInPages: Sendable {
  let sessions: SessionStore
  let signIn: SignInService
  let pages: PageRenderer
  let cookies: SignInCookies
  let access: AccessConfiguration
  /// The name of the identity provider; nil for none.
  let provider: String?
  /// Replaces the network of an address by its keyed hash.
  let network: @Sendable (String) -> [UInt8]?

  /// Values of the template `sign-in`, and of `sign-in-code`.
  struct Values {
    var token = ""
    var next = ReturnAddress.home
    var name = ""
    var problem = ""
    var site: PasskeySite?
    /// Whether a form was sent after its session had ended.
    var isEnded = false
    /// Whether the account of the step for the second factor has passkeys.
    var hasPasskeys = false

    /// Adds the account of the step for the second factor.
    mutating func add(_ account: Credentials) { (name, hasPasskeys) = (account.name, account.hasPasskeys) }
  }

  func site(_ request: Request) -> PasskeySite? { PasskeySite(address: access.address(for: request)) }

  /// The values for a template, and the button of the identity provider.
  private func record(_ page: String, _ values: Values, _ context: ServerRequestContext) -> TemplateRecord {
    let passkeys = page == "sign-in" ? "/sign-in/passkey" : values.hasPasskeys ? "/sign-in/code/passkey" : ""
    let button = provider.map { pages.texts(context)("sign-on.button", ["provider": $0]) }
    return [
      "token": values.token, "next": values.next, "name": values.name, "problem": values.problem,
      "isEnded": values.isEnded,
      "passkeyAddress": values.site == nil ? "" : passkeys, "provider": button ?? "",
      "providerAddress": ReturnAddress(values.next).signIn.replacing(
        "/sign-in", with: SignOnPages.address, maxReplacements: 1),
    ]
  }

  /// Opens a page with one button; the button uses the link. Link scanners that open addresses do not consume it.
  @Sendable func form(_ request: Request, context: ServerRequestContext) throws -> Response {
    let token = request.uri.queryParameters["token"].map(String.init) ?? ""
    let next = ReturnAddress(request.uri.queryParameters["next"].map(String.init))
    var values = Values(token: token.utf8.count <= 128 ? token : "", next: next.path, site: site(request))
    values.isEnded = request.uri.queryParameters["ended"] != nil
    return try show(values, context)
  }

  @Sendable func signIn(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, time) = (context.form, Date())
    let next = ReturnAddress(form["next"])
    let outcome: SignInOutcome
    var values = Values(next: next.path, site: site(request))
    if let token = form["token"] {
      guard token.utf8.count <= 128 else {
        values.problem = pages.texts(context)("sign-in.used")
        return try show(values, context, status: .forbidden)
      }
      outcome = try await signIn.signIn(link: token, visitor(request, context), at: time)
      values.problem = pages.texts(context)("sign-in.used")
    } else {
      values.name = String((form.text("name") ?? "").prefix(80))
      outcome = try await signIn.signIn(
        name: values.name, password: form["password"] ?? "", visitor(request, context), at: time)
      values.problem = pages.texts(context)("sign-in.wrong")
    }
    return try answer(to: outcome, "sign-in", values, next, context)
  }

  @Sendable func codeForm(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let next = ReturnAddress(request.uri.queryParameters["next"].map(String.init))
    guard let step = cookies.read(.step, request),
      let account = try await sessions.credentials(step: step, at: Date())
    else { return .redirect(to: next.signIn, type: .normal) }
    var values = Values(next: next.path, site: site(request))
    values.add(account)
    return try show(values, page: "sign-in-code", context)
  }

  @Sendable func signInByCode(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let next = ReturnAddress(context.form["next"])
    guard let step = cookies.read(.step, request) else { return .redirect(to: next.signIn, type: .normal) }
    let typed = String((context.form["code"] ?? "").prefix(40))
    let outcome = try await signIn.signIn(step: step, typed: typed, visitor(request, context), at: Date())
    var values = Values(next: next.path, site: site(request))
    if let account = try await sessions.credentials(step: step, at: Date()) { values.add(account) }
    values.problem = pages.texts(context)("sign-in.wrong-code")
    return try answer(to: outcome, "sign-in-code", values, next, context)
  }

  @Sendable func signOut(_ request: Request, context: ServerRequestContext) async throws -> Response {
    if let token = cookies.read(.session, request) { try await sessions.signOut(session: token, at: Date()) }
    var response = Response.redirect(to: "/sign-in", type: .normal)
    for cookie in cookies.signedOut { response.setCookie(cookie) }
    return response
  }

  func answer(
    to outcome: SignInOutcome, _ page: String, _ values: Values, _ next: ReturnAddress, _ context: ServerRequestContext
  ) throws -> Response {
    var values = values
    let texts = pages.texts(context)
    switch outcome {
    case .entered(let entrance, let browser):
      return entered(entrance, browser, next)
    case .refused:
      return try show(values, page: page, context, status: .forbidden)
    case .needsTwoCodes:
      values.problem = texts("sign-in.two-codes")
      return try show(values, page: page, context, status: .forbidden)
    case .expired:
      values.problem = texts("sign-in.expired")
      return try show(values, context, status: .forbidden)
    case .later(let seconds):
      values.problem =
        seconds < 90
        ? texts.count("sign-in.later-seconds", seconds) : texts.count("sign-in.later-minutes", (seconds + 59) / 60)
      var response = try show(values, page: page, context, status: .tooManyRequests)
      response.headers[.retryAfter] = String(seconds)
      return response
    }
  }

  func entered(_ entrance: FirstFactor, _ browser: String, _ next: ReturnAddress) -> Response {
    var response: Response
    switch entrance {
    case .session(let token, let isNew):
      response = .redirect(to: isNew ? "/moderation/account?welcome=1" : next.path, type: .normal)
      response.setCookie(cookies.session(token))
    case .secondFactor(let token):
      let address = next.signIn.replacing("/sign-in", with: "/sign-in/code", maxReplacements: 1)
      response = .redirect(to: address, type: .normal)
      response.setCookie(cookies.make(.step, token, lifetime: SessionStore.stepLifetime))
    }
    // 180 days.
    if !browser.isEmpty { response.setCookie(cookies.make(.browser, browser, lifetime: 180 * 86_400)) }
    return withoutStore(response)
  }

  func visitor(_ request: Request, _ context: ServerRequestContext) -> Visitor {
    Visitor(
      network: context.clientAddress.flatMap(network) ?? [], known: cookies.read(.browser, request),
      session: cookies.read(.session, request), browser: BrowserName.of(request.headers[.userAgent]))
  }

  func show(
    _ values: Values, page: String = "sign-in", _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    withoutStore(try pages.page(page, record(page, values, context), context, status: status))
  }

  func withoutStore(_ response: Response) -> Response {
    var response = response
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

/// The cookies of sign-in. If browsers use only https, the names have the prefix `__Host-` (RFC 6265bis, 4.1.3.2).
struct SignInCookies: Sendable {
  enum Kind: String {
    case session
    /// The token between the first factor and the second.
    case step
    /// Marks a browser that has signed in before.
    case browser
    /// An encrypted sign-in with the identity provider.
    case signOn = "sign_on"
    /// An encrypted challenge for a passkey.
    case passkey
    /// The identity provider's token of the session, encrypted, which the provider's sign-out needs.
    case provider

    /// Browsers keep no cookie of more than 4,096 bytes with its name.
    var maxBytes: Int { self == .signOn || self == .provider ? 4_000 : 128 }
  }

  let isSecure: Bool
  /// Longest lifetime of a session, in seconds.
  let sessionLifetime: Double

  /// The token in the request's cookie; nil if there is none or it is empty or too long.
  func read(_ kind: Kind, _ request: Request) -> String? {
    guard let token = request.cookies[name(kind)]?.value, (1...kind.maxBytes).contains(token.utf8.count) else {
      return nil
    }
    return token
  }

  func session(_ token: String) -> Cookie { make(.session, token, lifetime: sessionLifetime) }

  /// - Parameter lifetime: in seconds.
  func make(_ kind: Kind, _ token: String, lifetime: Double) -> Cookie {
    Cookie(
      name: name(kind), value: token, maxAge: Int(lifetime), path: "/", secure: isSecure, httpOnly: true,
      sameSite: .lax)
  }

  /// A cookie that deletes the browser's copy.
  func gone(_ kind: Kind) -> Cookie { make(kind, "", lifetime: 0) }

  /// Deletes what a sign-in left in the browser, even if its provider has no sign-out or cannot be asked.
  var signedOut: [Cookie] { [gone(.session), gone(.provider)] }

  private func name(_ kind: Kind) -> String { "\(isSecure ? "__Host-" : "")ringfence_\(kind.rawValue)" }
}

/// The page to open after sign-in. Only moderation pages of this server are accepted.
struct ReturnAddress: Equatable {
  /// A path with its query.
  let path: String

  static let home = "/moderation"

  /// - Parameter text: from a query or a form; an address outside the moderation pages becomes ``home``.
  init(_ text: String?) {
    let isOurs = text.map { text in
      text.utf8.count <= 512
        && (text == Self.home || text.hasPrefix(Self.home + "/") || text.hasPrefix(Self.home + "?"))
        && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }
    path = isOurs == true ? text ?? Self.home : Self.home
  }

  /// The page that a request asks for; of a form, which a redirect cannot send again, the page of its number or area.
  init(_ request: Request) {
    guard request.method != .get else {
      self.init(request.uri.string)
      return
    }
    let path = request.uri.path
    let number = path.firstMatch(of: /^\/moderation\/(numbers|appeals)\/[0-9]+/).map { String($0.0) }
    // The address of the case's form has the filter of the queue.
    self.init(
      number.map { $0 + (request.uri.query.map { "?\($0)" } ?? "") }
        ?? Navigation.areas.map(\.address).last { Navigation.isUnder($0, path) })
  }

  /// The address of the sign-in page that returns here.
  var signIn: String {
    guard path != Self.home else { return "/sign-in" }
    let allowed = CharacterSet(charactersIn: "-._~/").union(.alphanumerics)
    return "/sign-in?next=\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
  }
}

/// Names the browser and system of a `User-Agent` field: `Firefox, Linux`.
enum BrowserName {
  private static let browsers = [
    ("Edg/", "Edge"), ("OPR/", "Opera"), ("YaBrowser/", "Yandex Browser"), ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
  ]
  private static let systems = [
    ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
  ]

  static func of(_ agent: String?) -> String {
    let agent = (agent ?? "").prefix(512)
    let names = [browsers, systems].compactMap { list in list.first { agent.contains($0.0) }?.1 }
    return names.joined(separator: ", ")
  }
}
