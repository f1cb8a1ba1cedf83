// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Intake
import Storage

/// Administrators' pages that list accounts, change their roles, and enable or disable them.
struct AccountsPages: Sendable {
  let services: AccountServices
  let sessions: SessionStore
  let pages: PageRenderer
  let access: AccessConfiguration
  /// Sends invitations; nil if this server sends no mail.
  let invitations: Invitations?

  static let address = "/moderation/accounts"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await list(context)
  }

  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, moderator, texts) = (context.form, try context.signedIn(), pages.texts(context))
    let name = form.text("name") ?? ""
    guard let role = form["role"].flatMap(Role.init) else { throw Problem.noForm }
    let (typed, receiver) = (form.text("mail"), form.text("mail").flatMap { MailAddress($0) })
    guard typed == nil || receiver != nil else {
      return try await list(context, name: name, mail: typed ?? "", problem: texts("mail.address-wrong"))
    }
    do {
      try await services.accounts.add(name, role: role, by: Actor(moderator), at: Date())
    } catch let violation as RuleViolation {
      return try await list(context, name: name, mail: typed ?? "", problem: texts.message(violation))
    } catch is AccountError {
      return try await list(
        context, name: name, mail: typed ?? "", problem: texts("accounts.taken", ["name": name]))
    }
    guard let account = try await services.accounts.account(named: name, at: Date()) else { throw Problem.notFound }
    return try await link(to: account, request, context, mailing: receiver)
  }

  @Sendable func one(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let done = request.uri.queryParameters["done"].flatMap { Change(rawValue: String($0)) }
    let notice = done.map { pages.texts(context)("accounts.done-\($0.rawValue)") } ?? ""
    return try await show(try await account(context), context, ["notice": notice])
  }

  enum Change: String {
    case role, disable, enable, end, reset, link
  }

  @Sendable func change(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (account, actor, time) = (try await account(context), Actor(try context.signedIn()), Date())
    guard let change = context.form["change"].flatMap(Change.init) else { throw Problem.noForm }
    let accounts = services.accounts
    do {
      switch change {
      case .role:
        guard let role = context.form["role"].flatMap(Role.init) else { throw Problem.noForm }
        try await accounts.setRole(role, of: account.name, by: actor, at: time)
      case .disable: try await accounts.setDisabled(true, name: account.name, by: actor, at: time)
      case .enable: try await accounts.setDisabled(false, name: account.name, by: actor, at: time)
      case .end: try await accounts.endSessions(of: account, by: actor, at: time)
      case .reset:
        try await accounts.reset(account.name, by: actor, at: time)
        return try await link(to: account, request, context)
      case .link: return try await link(to: account, request, context)
      }
    } catch AccountError.lastAdministrator {
      let problem = pages.texts(context)("accounts.last-administrator")
      return try await show(account, context, status: .conflict, ["problem": problem])
    }
    return .redirect(to: "\(Self.address)/\(account.id)?done=\(change.rawValue)", type: .normal)
  }

  private func account(_ context: ServerRequestContext) async throws -> Account {
    guard let id = context.parameters.get("account", as: Int32.self),
      let account = try await services.accounts.account(id, at: Date())
    else { throw Problem.notFound }
    return account
  }

  /// Creates a sign-in link for the account and shows it once.
  /// - Parameter receiver: gets the link by mail, too.
  private func link(
    to account: Account, _ request: Request, _ context: ServerRequestContext, mailing receiver: MailAddress? = nil
  ) async throws -> Response {
    let token = try await sessions.makeSignInToken(
      for: account.name, by: Actor(try context.signedIn()), at: Date())
    guard let fresh = try await services.accounts.account(account.id, at: Date()) else { throw Problem.notFound }
    let link = "\(access.address(for: request))/sign-in?token=\(token)"
    var notice = ""
    if let receiver, let invitations {
      let language = context.language.rawValue
      try await invitations.send(
        link, to: receiver, account: account.name, by: context.account, language: language, at: Date())
      notice = pages.texts(context)("accounts.invited", ["address": receiver.text])
    }
    return try await show(fresh, context, ["link": link, "notice": notice])
  }

  private func list(
    _ context: ServerRequestContext, name: String = "", mail: String = "", problem: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    let rows = try await services.accounts.accounts(at: Date()).map { $0.record(texts) }
    return try pages.page(
      "accounts",
      [
        "rows": rows, "roles": Self.roles(.moderator, texts), "name": name, "mail": mail, "problem": problem,
        "sendsMail": invitations != nil,
      ], context,
      status: problem.isEmpty ? .ok : .unprocessableContent)
  }

  /// - Parameter result: a notice, an error, or a new sign-in link, which is shown once.
  private func show(
    _ account: Account, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok, _ result: TemplateRecord
  ) async throws -> Response {
    let texts = pages.texts(context)
    let values: TemplateRecord = [
      "account": account.record(texts), "roles": Self.roles(account.role, texts),
      "isOwn": try context.signedIn().id == account.id, "link": "", "notice": "", "problem": "",
    ]
    return try pages.page("account-of", values.adding(result), context, status: status)
  }

  private static func roles(_ chosen: Role, _ texts: Localizer) -> [TemplateRecord] {
    Role.allCases.map { .choice($0.rawValue, texts("role.\($0.rawValue)"), isChosen: $0 == chosen) }
  }
}

/// Mails sign-in links. A link is a secret, so the mail is stored encrypted until it is sent.
struct Invitations: Sendable {
  let outbox: OutboxStore
  let secrets: OwnerCodeMessage

  func send(
    _ link: String, to address: MailAddress, account: String, by name: String, language: String, at time: Date
  ) async throws {
    let event = Event(
      .invitation, at: time, ["account": .text(account), "by": .text(name), "link": .text(link)])
    try await outbox.mail(try secrets.sealing(event), to: address, language: language, at: time)
  }
}

extension Account {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "id": id, "name": name, "role": texts("role.\(role.rawValue)"), "created": PageTime(createdAt, texts),
      "signedIn": signedInAt.map { PageTime($0, texts) }, "disabled": disabledAt.map { PageTime($0, texts) },
      "hasPassword": hasPassword, "hasSecondFactor": hasSecondFactor, "sessions": texts.number(sessions),
      "hasSessions": sessions > 0, "isTied": isTied,
    ]
  }
}
