// SPDX-License-Identifier: Apache-2.0

import Accounts
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Storage

/// Pages where people see and change their own accounts.
struct AccountPages: Sendable {
  let services: AccountServices
  let pages: PageRenderer
  let cookies: SignInCookies
  let policy: SecondFactorPolicy

  static let address = "/moderation/account"

  @Sendable func account(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let query = request.uri.queryParameters
    let done = query["done"].flatMap { Done(rawValue: String($0)) }
    return try await show(
      context,
      [
        "isWelcome": query["welcome"] != nil && !context.signedIn().hasPassword && !context.signedIn().isTied,
        "notice": done.map { pages.texts(context)("account.done-\($0.rawValue)") } ?? "",
      ])
  }

  @Sendable func setPassword(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, moderator) = (context.form, try context.signedIn())
    // A password would let a person in whom the provider refuses.
    guard !moderator.isTied else { throw Problem.notFound }
    let new = form["new"] ?? ""
    var problem: String?
    if new != form["again"] { problem = "account.password-again" }
    if let rule = PasswordRules.problem(with: new, name: moderator.name, common: services.commonPasswords) {
      problem = "account.password-\(rule.rawValue)"
    }
    if problem == nil, moderator.hasPassword { problem = try await passwordProblem(moderator, "current", context) }
    if let problem {
      return try await show(context, status: .unprocessableContent, ["problem": pages.texts(context)(problem)])
    }
    let hash: String
    do {
      hash = try await services.hasher.hash(new)
    } catch is PasswordHasher.Busy {
      throw Problem.unavailable
    }
    let token = try await services.accounts.setPassword(hash, of: moderator, at: Date())
    // The first password is the end of a new account's first steps: its work is in the queue. An account that must set
    // up a second factor stays here.
    let isFirst = !moderator.hasPassword && (moderator.hasSecondFactor || !policy.asks(moderator.role))
    return back(isFirst ? nil : .password, token, to: isFirst ? QueuePages.path : Self.address)
  }

  /// The key of the message about a wrong password in a field; nil for the right one.
  func passwordProblem(
    _ moderator: Session, _ field: String, _ context: ServerRequestContext
  ) async throws -> String? {
    switch try await services.signIn.confirm(moderator, password: context.form[field] ?? "", at: Date()) {
    case .confirmed: nil
    case .refused: "account.password-current"
    case .later: "account.later"
    }
  }

  @Sendable func setLanguage(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let language = context.form["language"].flatMap(Language.init)
    try await services.accounts.setLanguage(language?.rawValue, of: try context.signedIn())
    return back(.language, nil)
  }

  /// Turns single-key shortcuts on or off, and sets their keys.
  @Sendable func setShortcuts(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, moderator) = (context.form, try context.signedIn())
    if form["reset"] != nil {
      try await services.accounts.setShortcuts(.standard, of: moderator)
      return back(.shortcuts, nil)
    }
    let typed = Dictionary(
      uniqueKeysWithValues: ShortcutKeys.Action.allCases.map { ($0, form.text("key_\($0.rawValue)") ?? "") })
    let shortcuts: ShortcutKeys
    do throws(ShortcutKeys.Refusal) {
      shortcuts = try ShortcutKeys(isOn: form["on"] != nil, typed: typed)
    } catch {
      let texts = pages.texts(context)
      let problem = texts(
        "account.shortcut-\(error.problem.rawValue)", ["action": texts("account.key.\(error.action.rawValue)")])
      let fields = ShortcutKeys.Action.allCases.map {
        Self.field($0, key: String((typed[$0] ?? "").prefix(4)), isWrong: $0 == error.action, texts)
      }
      return try await show(
        context, status: .unprocessableContent,
        ["areShortcutsOn": form["on"] != nil, "shortcutProblem": problem, "shortcuts": fields])
    }
    try await services.accounts.setShortcuts(shortcuts, of: moderator)
    return back(.shortcuts, nil)
  }

  /// Ends one session, all other sessions, or all sessions.
  @Sendable func endSessions(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let moderator = try context.signedIn()
    guard let account = try await services.accounts.account(moderator.id, at: Date()) else { throw Problem.notFound }
    let which = context.form["session"] ?? ""
    let actor = Actor(moderator)
    if which == "everywhere" {
      try await services.accounts.endSessions(of: account, by: actor, at: Date())
      var response = Response.redirect(to: "/sign-in", type: .normal)
      for cookie in cookies.signedOut { response.setCookie(cookie) }
      return response
    }
    if which == "others" {
      try await services.accounts.endSessions(of: account, except: moderator.sessionID, by: actor, at: Date())
    } else if let id = UUID(uuidString: which) {
      try await services.accounts.endSessions(of: account, only: id, by: actor, at: Date())
    }
    return back(.sessions, nil)
  }

  enum Done: String {
    case password, language, shortcuts, sessions, removed, passkey
    case passkeyRemoved = "passkey-removed"
  }

  /// Redirects to the page with a notice and sets the session's new token.
  func back(_ done: Done?, _ token: String?, to address: String = Self.address) -> Response {
    var response = Response.redirect(to: done.map { "\(address)?done=\($0.rawValue)" } ?? address, type: .normal)
    if let token {
      response.setCookie(cookies.session(token))
    }
    return response
  }

  /// Shows new recovery codes once.
  func show(_ codes: [String], _ token: String, _ context: ServerRequestContext) throws -> Response {
    var context = context
    context.csrf = FormToken.make(session: token)
    var response = try pages.page("recovery-codes", ["codes": codes], context)
    response.setCookie(cookies.session(token))
    return response
  }

  /// - Parameter result: a notice, or the errors of a form and its typed values.
  private func show(
    _ context: ServerRequestContext, status: HTTPResponse.Status = .ok, _ result: TemplateRecord
  ) async throws -> Response {
    let (moderator, texts, time) = (try context.signedIn(), pages.texts(context), Date())
    guard let account = try await services.accounts.account(moderator.id, at: time) else { throw Problem.notFound }
    let sessions = try await services.accounts.sessions(of: moderator.id, at: time)
    let (shortcuts, language) = (account.shortcuts, account.language)
    let values: TemplateRecord = [
      "name": account.name, "role": texts("role.\(account.role.rawValue)"), "hasPassword": account.hasPassword,
      "hasSecondFactor": account.hasSecondFactor,
      // Whether the account must have a second factor.
      "asksSecondFactor": policy.asks(account.role) && !account.hasSecondFactor && !account.isTied,
      "isTied": account.isTied, "hasPasskeys": moderator.hasPasskeys,
      "sessionsAbout": texts.count("account.sessions-about", Int(cookies.sessionLifetime / 3_600)),
      "recoveryCodes": texts.count("account.codes-left", Int(account.recoveryCodes)),
      "areCodesFew": account.recoveryCodes < 3,
      "sessions": sessions.map { $0.record(isThis: $0.id == moderator.sessionID, texts) },
      "hasOthers": sessions.contains { $0.id != moderator.sessionID },
      "languages": [TemplateRecord.choice("", texts("account.language-browser"), isChosen: language == nil)]
        + Language.allCases.map { .choice($0.rawValue, $0.name, isChosen: language == $0.rawValue) },
      "shortcuts": ShortcutKeys.Action.allCases.map {
        Self.field($0, key: shortcuts.chosen($0), isWrong: false, texts)
      },
      "areShortcutsOn": shortcuts.isOn, "shortcutProblem": "", "isWelcome": false, "notice": "", "problem": "",
    ]
    return try pages.page("account", values.adding(result), context, status: status)
  }

  /// A field for the key of an action.
  private static func field(
    _ action: ShortcutKeys.Action, key: String, isWrong: Bool, _ texts: Localizer
  ) -> TemplateRecord {
    ["action": action.rawValue, "name": texts("account.key.\(action.rawValue)"), "key": key, "isWrong": isWrong]
  }
}

extension AccountSession {
  fileprivate func record(isThis: Bool, _ texts: Localizer) -> TemplateRecord {
    [
      "id": id.text, "browser": browser.isEmpty ? texts("account.some-browser") : browser,
      "opened": PageTime(openedAt, texts), "seen": PageTime(seenAt, texts), "isThis": isThis,
    ]
  }
}

extension ServerRequestContext {
  /// Needs ``SessionMiddleware``.
  ///
  /// - Throws: `Problem.notFound` if there is no session.
  func signedIn() throws -> Session {
    guard let moderator else { throw Problem.notFound }
    return moderator
  }
}
