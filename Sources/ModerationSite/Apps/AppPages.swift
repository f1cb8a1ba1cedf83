// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Storage
import Timestamps

/// Apps and their keys, for administrators.
struct AppPages: Sendable {
  let apps: AppStore
  let pages: PageRenderer

  private static let address = "/moderation/apps"
  /// The maximum days of a key's life, and of the grace period of a replaced key.
  private static let mostDays = 3_650

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await page(context)
  }

  @Sendable func create(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, texts, now) = (context.form, pages.texts(context), Date())
    guard let name = form.text("name"), App.isName(name) else {
      return try await page(context, error: texts("apps.bad-name"))
    }
    guard let scopes = AppScopes(names: form.all("scope")) else {
      return try await page(context, error: texts("apps.bad-scopes"))
    }
    guard let expires = Self.days(form.text("expires"), from: 1) else {
      return try await page(context, error: texts("apps.bad-days"))
    }
    do {
      let key = try await apps.create(
        name: name, scopes: scopes, expiresAt: expires.map { now + Double($0) * 86_400 },
        by: context.moderator?.name ?? "", at: now
      ).key
      return try await page(context, made: .init(app: name, key: key))
    } catch AppError.nameTaken {
      return try await page(context, error: texts("apps.name-taken", ["name": name]))
    }
  }

  @Sendable func rotate(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, texts, now) = (context.form, pages.texts(context), Date())
    guard let overlap = Self.days(form.text("overlap"), from: 0) else {
      return try await page(context, error: texts("apps.bad-days"))
    }
    do {
      let name = form.text("name") ?? ""
      let key = try await apps.rotate(
        name: name, overlap: overlap.map { Double($0) * 86_400 } ?? AppStore.overlap,
        by: context.moderator?.name ?? "", at: now)
      return try await page(context, made: .init(app: name, key: key))
    } catch AppError.noApp {
      return try await page(context, error: texts("apps.no-app"))
    }
  }

  @Sendable func key(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await keyPage(
      try await key(context), context, isPreview: request.uri.queryParameters["preview"] != nil,
      since: request.uri.queryParameters["since"].map(String.init) ?? "",
      until: request.uri.queryParameters["until"].map(String.init) ?? "")
  }

  @Sendable func change(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let key = try await key(context)
    guard let scopes = AppScopes(names: context.form.all("scope")) else {
      return try await keyPage(key, context, error: pages.texts(context)("apps.bad-scopes"))
    }
    do {
      try await apps.change(keyID: key.id, to: scopes, by: context.moderator?.name ?? "", at: Date())
    } catch AppError.notValid {
      return try await keyPage(key, context, error: pages.texts(context)("apps.not-valid"))
    }
    return .redirect(to: "\(Self.address)/keys/\(key.id)", type: .normal)
  }

  @Sendable func revoke(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let key = try await key(context)
    try await apps.revoke(keyID: key.id, by: context.moderator?.name ?? "", at: Date())
    return .redirect(to: "\(Self.address)/keys/\(key.id)", type: .normal)
  }

  /// Orders a withdrawal of reports; a background job does it.
  @Sendable func withdraw(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (key, form, now) = (try await key(context), context.form, Date())
    guard let since = Self.time(form.text("since")), let until = Self.time(form.text("until")) else {
      return try await keyPage(key, context, error: pages.texts(context)("apps.bad-times"))
    }
    guard let reason = form.text("reason"), reason.count <= 1_000 else {
      return try await keyPage(key, context, error: pages.texts(context)("apps.bad-reason"))
    }
    do {
      _ = try await apps.withdrawals.ask(
        keyID: key.id, since: since ?? Self.ever, until: until, because: reason, by: context.moderator?.name ?? "",
        at: now)
    } catch AppError.inFuture, AppError.endsBeforeBegin {
      return try await keyPage(key, context, error: pages.texts(context)("apps.bad-times"))
    }
    return .redirect(to: "\(Self.address)#withdrawals", type: .normal)
  }

  private func key(_ context: ServerRequestContext) async throws -> AppKey {
    guard let id = Int32(try context.parameters.require("key")) else { throw Problem.notFound }
    do {
      return try await apps.key(id)
    } catch is AppError {
      throw Problem.notFound
    }
  }

  private func page(_ context: ServerRequestContext, made: AppsPage.Made? = nil, error: String = "") async throws
    -> Response
  {
    let values = AppsPage(
      keys: try await apps.keys(), withdrawals: try await apps.withdrawals.list(onlyOpen: false), made: made,
      error: error, form: context.form, texts: pages.texts(context), now: Date())
    return try pages.page("apps", values, context, status: error.isEmpty ? .ok : .unprocessableContent)
  }

  private func keyPage(
    _ key: AppKey, _ context: ServerRequestContext, isPreview: Bool = false, since sinceText: String = "",
    until untilText: String = "",
    error: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    var (trace, error, now) = (KeyReportCounts?.none, error, Date())
    if isPreview {
      now = Date()
      do {
        guard let since = Self.time(sinceText), let until = Self.time(untilText) else { throw AppError.endsBeforeBegin }
        trace = try await apps.withdrawals.trace(keyID: key.id, since: since ?? Self.ever, until: until, at: now)
      } catch AppError.inFuture, AppError.endsBeforeBegin {
        error = texts("apps.bad-times")
      }
    }
    let values = KeyPage(
      key, trace: trace, since: sinceText, until: untilText, error: error,
      texts: texts, now: now)
    return try pages.page("key", values, context, status: error.isEmpty ? .ok : .unprocessableContent)
  }

  /// - Returns: nil if the text is not a number of days in range; an inner nil if there is no text.
  private static func days(_ text: String?, from least: Int) -> Int?? {
    guard let text else { return .some(nil) }
    guard let days = Int(text), (least...mostDays).contains(days) else { return nil }
    return days
  }

  private static let ever = Date(timeIntervalSince1970: 0)

  /// Parses a time in UTC, as RFC 3339 or as an input of type `datetime-local` sends it.
  /// - Returns: nil if the text is not a time; an inner nil if there is no text.
  private static func time(_ text: String?) -> Date?? {
    guard let text, !text.isEmpty else { return .some(nil) }
    let time = Timestamp.parse(text) ?? Timestamp.parse("\(text):00Z") ?? Timestamp.parse("\(text)Z")
    return time.map { .some($0) }
  }
}

/// Values of the template `apps`.
struct AppsPage: Encodable {
  /// A key that has just been created.
  struct Made: Encodable {
    let app: String
    let key: String
  }

  struct App: Encodable {
    let name: String
    let keys: [KeyRow]
  }

  struct Scope: Encodable {
    let name: String
    let text: String
    let isChosen: Bool
  }

  struct Withdrawal: Encodable {
    let key: Int32
    let askedBy: String
    let askedAt: PageTime
    let reason: String
    let withdrawn: String
    let state: String
    let isOpen: Bool
  }

  let apps: [App]
  let made: [Made]
  let error: String
  let name: String
  let expires: String
  let scopes: [Scope]
  let withdrawals: [Withdrawal]

  init(
    keys: [AppKey], withdrawals: [KeyWithdrawal], made: Made?, error: String, form: Form, texts: Localizer, now: Date
  ) {
    apps = Dictionary(grouping: keys, by: \.appName).sorted { $0.key < $1.key }.map { name, keys in
      App(name: name, keys: keys.map { KeyRow($0, texts: texts, now: now) })
    }
    self.made = made.map { [$0] } ?? []
    self.error = error
    name = error.isEmpty ? "" : form.text("name") ?? ""
    expires = error.isEmpty ? "" : form.text("expires") ?? ""
    let chosen = error.isEmpty ? AppScopes.all : AppScopes(names: form.all("scope")) ?? []
    scopes = Scope.all(chosen, texts)
    self.withdrawals = withdrawals.map { work in
      Withdrawal(
        key: work.keyID, askedBy: work.askedBy, askedAt: PageTime(work.askedAt, texts), reason: work.reason,
        withdrawn: texts.number(work.withdrawn), state: texts(work.doneAt == nil ? "apps.under-way" : "apps.done"),
        isOpen: work.doneAt == nil)
    }
  }
}

extension AppsPage.Scope {
  static func all(_ chosen: AppScopes, _ texts: Localizer) -> [AppsPage.Scope] {
    AppScopes.named.map { name, scope in
      .init(name: name, text: texts("apps.scope.\(name)"), isChosen: chosen.contains(scope))
    }
  }
}

/// A key in a table.
struct KeyRow: Encodable {
  let id: Int32
  let hint: String
  let state: String
  let mark: String
  let scopes: String
  let createdAt: PageTime
  let createdBy: String
  /// At most one element.
  let endsAt: [PageTime]
  /// At most one element.
  let lastUsedAt: [PageTime]

  init(_ key: AppKey, texts: Localizer, now: Date) {
    id = key.id
    hint = key.hint
    let state = key.state(at: now)
    self.state = texts("apps.state.\(state.rawValue)")
    mark = state == .valid ? "good" : "warn"
    scopes = key.scopes.names.joined(separator: ", ")
    createdAt = PageTime(key.createdAt, texts)
    createdBy = key.createdBy
    endsAt = (key.revokedAt ?? key.expiresAt).map { [PageTime($0, texts)] } ?? []
    lastUsedAt = key.lastUsedAt.map { [PageTime($0, texts)] } ?? []
  }
}

/// Values of the template `key`.
struct KeyPage: Encodable {
  struct Trace: Encodable {
    let text: String
    let isEmpty: Bool
    let since: String
    let until: String
  }

  let app: String
  let row: KeyRow
  let isValid: Bool
  let isRevoked: Bool
  let error: String
  let scopes: [AppsPage.Scope]
  let since: String
  let until: String
  /// At most one element.
  let trace: [Trace]

  init(
    _ key: AppKey, trace: KeyReportCounts?, since: String, until: String, error: String, texts: Localizer, now: Date
  ) {
    app = key.appName
    row = KeyRow(key, texts: texts, now: now)
    isValid = key.state(at: now) == .valid
    // Tokens of installations outlive an expired key.
    isRevoked = key.state(at: now) == .revoked
    self.error = error
    scopes = AppsPage.Scope.all(key.scopes, texts)
    self.since = since
    self.until = until
    self.trace =
      trace.map { trace in
        let figures = [
          "numbers": texts.number(trace.numbers), "reporters": texts.number(trace.reporters),
          "first": trace.first.map { PageTime($0, texts).text } ?? "",
          "last": trace.last.map { PageTime($0, texts).text } ?? "",
        ]
        return [
          Trace(
            text: trace.reports == 0 ? texts("apps.trace-none") : texts.count("apps.trace", trace.reports, figures),
            isEmpty: trace.reports == 0, since: since, until: until)
        ]
      } ?? []
  }
}
