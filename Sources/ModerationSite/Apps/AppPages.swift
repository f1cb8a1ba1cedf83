// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Publishing
import Storage
import Support

/// Apps and their keys, for administrators.
struct AppPages: Sendable {
  let apps: AppStore
  let installations: InstallationStore
  let traffic: AppTraffic
  let thresholds: ThresholdStore
  let previews: ThresholdPreviews
  let pages: PageRenderer

  private static let address = "/moderation/apps"

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
      return try await page(context, made: ["app": name, "key": key])
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
      return try await page(context, made: ["app": name, "key": key])
    } catch AppError.noApp {
      return try await page(context, error: texts("apps.no-app"))
    }
  }

  /// Starts the preview of an app's weights of new reporters. The preview's page saves them.
  @Sendable func weigh(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, texts) = (context.form, pages.texts(context))
    guard let app = form["app"].flatMap({ Int32($0) }) else { throw Problem.noForm }
    guard try await apps.keys().contains(where: { $0.appID == app }) else { throw Problem.notFound }
    let (version, set) = try await thresholds.version(nil)
    let present = set.rule(ofApp: app)
    var typed = RuleForm(form, of: present)
    guard let rule = typed.rule(present: present, texts) else {
      return try await page(context, error: texts("apps.bad-weights"), wrong: Set(typed.problems.keys))
    }
    guard rule != present else { return try await page(context, error: texts("thresholds.same")) }
    try await previews.start(
      ThresholdPreviews.Request(
        account: context.account, base: version.version, subject: .attestation(app: app), present: set,
        change: try set.replacing(rule)))
    return .redirect(to: "\(ThresholdPages.address)/preview", type: .normal)
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
    let former = context.form["former"].map { AppScopes(names: $0.split(separator: " ").map(String.init)) ?? [] }
    do {
      try await apps.change(
        keyID: key.id, to: scopes, insteadOf: former, by: context.moderator?.name ?? "", at: Date())
    } catch AppError.notValid {
      return try await keyPage(key, context, error: pages.texts(context)("apps.not-valid"))
    } catch AppError.changed {
      let key = try await self.key(context)
      let names = key.scopes.names.joined(separator: ", ")
      return try await keyPage(
        key, context, error: pages.texts(context)("apps.scopes-changed", ["scopes": names]), chosen: scopes)
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
    guard let reason = form.text("reason"), reason.unicodeScalars.count <= TextLimit.overruling else {
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

  /// - Parameter wrong: the fields of the typed weights that the error is about.
  private func page(
    _ context: ServerRequestContext, made: TemplateRecord? = nil, error: String = "", wrong: Set<String> = []
  ) async throws -> Response {
    let (form, texts, now) = (context.form, pages.texts(context), Date())
    let (isWrong, apps) = (!error.isEmpty, Dictionary(grouping: try await self.apps.keys(), by: \.appName))
    // A form with an error keeps what was typed; the page has several. Only the form of a new app has an expiry.
    let isNewWrong = isWrong && form["expires"] != nil
    let (withdrawals, origins) = (
      try await self.apps.withdrawals.list(onlyOpen: false), try await self.apps.origins()
    )
    let (counts, set) = (try await installations.attestationCounts(), try await thresholds.current())
    return try pages.page(
      "apps",
      [
        "apps": apps.sorted { $0.key < $1.key }.map { name, keys in
          let (origin, traffic) = (origins[keys[0].appID], self.traffic.figures(ofApp: keys[0].appID))
          let isWeighed = isWrong && form["app"] == "\(keys[0].appID)"
          let isRotated = isWrong && form["overlap"] != nil && form.text("name") == name
          return [
            "name": name, "keys": keys.map { $0.record(at: now, texts) }, "isOneNetwork": origin?.isOneNetwork ?? false,
            "isFailing": origins.failsUnusually(keys[0].appID), "failed": texts.number(origin?.failed ?? 0),
            "verified": texts.number(origin?.verified ?? 0),
            "reporters": texts.number(origin?.reporters ?? 0), "id": keys[0].appID,
            "rate": texts.decimal(traffic.perSecond),
            "refused": traffic.refused.map { "\($0.reason) \(texts.number($0.count))" }.joined(separator: " · "),
            "isWeighed": isWeighed, "isRotated": isRotated,
            "overlap": isRotated ? String((form["overlap"] ?? "").prefix(40)) : "7",
            "levels": AttestationRule.weights.map { name, weight in
              let level = AttestationLevel.allCases.first { $0.name == name }
              let count = level.map { counts[keys[0].appID]?.installations[$0] ?? 0 }
              return [
                "field": name, "name": texts("thresholds.attestation-field.\(name)"),
                "count": count.map { texts.number($0) } ?? "–",
                "problem": isWeighed && wrong.contains(name) ? error : "",
                "weight": isWeighed
                  ? String((form[name] ?? "").prefix(40))
                  : texts.typed(set.rule(ofApp: keys[0].appID)[keyPath: weight]),
              ] as TemplateRecord
            },
          ] as TemplateRecord
        },
        "made": made, "error": error,
        "name": isNewWrong ? form.text("name") ?? "" : "", "expires": isNewWrong ? form.text("expires") ?? "" : "",
        "scopes": (isNewWrong ? AppScopes(names: form.all("scope")) ?? [] : AppScopes.standard).choices(texts),
        "withdrawals": withdrawals.map { $0.record(texts) },
      ], context, status: isWrong ? .unprocessableContent : .ok)
  }

  private func keyPage(
    _ key: AppKey, _ context: ServerRequestContext, isPreview: Bool = false, since sinceText: String = "",
    until untilText: String = "", error: String = "", chosen: AppScopes? = nil
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
    let state = key.state(at: now)
    return try pages.page(
      "key",
      [
        "app": key.appName, "row": key.record(at: now, texts), "isValid": state == .valid,
        // Tokens of installations outlive an expired key.
        "isRevoked": state == .revoked, "error": error, "scopes": (chosen ?? key.scopes).choices(texts),
        "former": key.scopes.names.joined(separator: " "), "since": sinceText,
        "until": untilText, "trace": trace.map { $0.record(since: sinceText, until: untilText, texts) },
      ], context, status: error.isEmpty ? .ok : .unprocessableContent)
  }

  /// - Returns: nil if the text is not a number of days in range; an inner nil if there is no text.
  private static func days(_ text: String?, from min: Int) -> Int?? {
    guard let text else { return .some(nil) }
    guard let days = Int(text), (min...AppKey.maxDays).contains(days) else { return nil }
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

extension AppScopes {
  fileprivate func choices(_ texts: Localizer) -> [TemplateRecord] {
    Self.named.map { name, scope in
      ["name": name, "text": texts("apps.scope.\(name)"), "isChosen": contains(scope)] as TemplateRecord
    }
  }
}

extension KeyWithdrawal {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "key": keyID, "askedBy": askedBy, "askedAt": PageTime(askedAt, texts), "reason": reason,
      "withdrawn": texts.number(withdrawn), "state": texts(doneAt == nil ? "apps.under-way" : "apps.done"),
      "isOpen": doneAt == nil,
    ]
  }
}

extension AppKey {
  fileprivate func record(at now: Date, _ texts: Localizer) -> TemplateRecord {
    let state = state(at: now)
    return [
      "id": id, "hint": hint, "state": texts("apps.state.\(state.rawValue)"), "mark": state == .valid ? "good" : "warn",
      "scopes": scopes.names.joined(separator: ", "), "createdAt": PageTime(createdAt, texts), "createdBy": createdBy,
      "endsAt": (revokedAt ?? expiresAt).map { PageTime($0, texts) },
      "lastUsedAt": lastUsedAt.map { PageTime($0, texts) },
    ]
  }
}

extension KeyReportCounts {
  /// The reports that a withdrawal would withdraw.
  fileprivate func record(since: String, until: String, _ texts: Localizer) -> TemplateRecord {
    let figures = [
      "numbers": texts.number(numbers), "reporters": texts.number(reporters),
      "first": first.map { PageTime($0, texts).text } ?? "", "last": last.map { PageTime($0, texts).text } ?? "",
    ]
    return [
      "text": reports == 0 ? texts("apps.trace-none") : texts.count("apps.trace", reports, figures),
      "isEmpty": reports == 0, "since": since, "until": until,
    ]
  }
}
