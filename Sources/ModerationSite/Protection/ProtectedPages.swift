// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Foundation
import HTTPTypes
import Hummingbird
import Importing
import PhoneNumbers
import Storage
import Support

/// `/moderation/protected`: protected numbers. Moderators may read them, administrators may change them.
struct ProtectedPages: Sendable {
  let protection: ProtectionStore
  let catalog: ProtectionCatalog
  let pages: PageRenderer

  static let address = "/moderation/protected"
  static let rows = 100

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let country = request.headers[.acceptLanguage].flatMap(CallerRegion.country(acceptLanguage:))
    return try await show(
      context, after: Int64(request.query("after")) ?? 0, done: request.query("done"),
      draft: ProtectedDraft(country: country))
  }

  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator else { throw Problem.notFound }
    let texts = pages.texts(context)
    let what = String((context.form.text("what") ?? "").prefix(200))
    let reason = context.form.text("reason") ?? ""
    let (day, now) = (context.form.text("until"), Date())
    let country = context.form.text("country").flatMap { PhoneRegion($0)?.code }
    func refuse(_ what: String, _ problem: String = "", reason reasonProblem: String = "") -> ProtectedDraft {
      ProtectedDraft(
        country: country, until: day ?? "", what: what, reason: String(reason.prefix(400)), whatProblem: problem,
        reasonProblem: reasonProblem)
    }
    let target: ProtectionTarget
    do throws(ProtectedPatternError) {
      target = try ProtectionTarget(reading: what, region: country, isInternational: true)
    } catch {
      return try await show(context, draft: refuse(what, texts.message(error)))
    }
    // The protection ends with the day.
    let end = day.flatMap { Timestamp.parse("\($0)T00:00:00Z") }?.addingTimeInterval(86_400)
    guard day == nil || end.map({ $0 > now }) == true else {
      var draft = refuse(what)
      draft.untilProblem = texts.message(RuleViolation(.notADay, field: texts("protected.until")))
      return try await show(context, draft: draft)
    }
    let replaced: Protection?
    do {
      replaced = try await protection.set(target, reason: reason, until: end, by: Actor(moderator), at: now)
    } catch is RuleViolation {
      return try await show(context, draft: refuse(what, reason: texts("protected.reason-needed")))
    } catch is ProtectionError {
      return try await show(context, draft: refuse(what, texts("protected.too-many")))
    }
    guard let replaced else { return .redirect(to: "\(Self.address)?done=added", type: .normal) }
    let formerEnd = replaced.expiresAt.map { texts.day($0) } ?? texts("protected.no-end")
    let values = ["reason": replaced.reason, "name": replaced.addedBy, "end": formerEnd]
    return try await show(
      context, notice: texts("protected.replaced", values), draft: ProtectedDraft(country: country))
  }

  /// Protects the public service numbers of a country.
  @Sendable func addCatalog(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let code = context.form["country"], catalog.countries[code] != nil else {
      return .redirect(to: Self.address, type: .normal)
    }
    do {
      try await catalog.add([code], to: protection, by: Actor(moderator), at: Date())
    } catch is ProtectionError {
      return try await show(
        context, notice: pages.texts(context)("protected.too-many"), draft: ProtectedDraft(country: code))
    }
    return .redirect(to: "\(Self.address)?done=catalog", type: .normal)
  }

  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let what = context.form["what"], let target = try? ProtectionTarget(what)
    else { throw Problem.notFound }
    let isGone = try await protection.remove(target, by: Actor(moderator), at: Date())
    return .redirect(to: "\(Self.address)?done=\(isGone ? "removed" : "gone")", type: .normal)
  }

  private func show(
    _ context: ServerRequestContext, after: Int64 = 0, done: String = "", notice: String? = nil,
    draft: ProtectedDraft
  ) async throws -> Response {
    let texts = pages.texts(context)
    let numbers = try await protection.numbers(after: after, limit: Self.rows + 1)
    let shown = numbers.prefix(Self.rows)
    let counts = try await protection.counts()
    let page: TemplateRecord = [
      "patterns": after > 0 ? [] : try await protection.patterns().map { $0.record(texts) },
      "numbers": shown.map { $0.protection.record(texts) }, "patternCount": texts.number(counts.patterns),
      "numberCount": texts.number(counts.numbers),
      "draft": draft.record.adding(["countries": try pages.countries.list(context.language, chosen: draft.country)]),
      "catalog": catalog.countries.sorted { $0.key < $1.key }.map { code, entries in
        [
          "value": code, "isChosen": code == draft.country,
          "name": "\(texts.country(code)) (\(texts.number(entries.count)))",
        ] as TemplateRecord
      },
      "done": notice ?? texts.find("protected.done-\(done)") ?? "",
      "next": numbers.count > Self.rows
        ? Query.address(Self.address, ["after": "\(shown.last?.number ?? 0)"]) : "",
    ]
    return try pages.page("protected", page, context, status: draft.hasProblem ? .unprocessableContent : .ok)
  }
}

/// The text typed into the form, with its errors.
struct ProtectedDraft {
  var country: String?
  var until = ""
  var untilProblem = ""
  var what = ""
  var reason = ""
  var whatProblem = ""
  var reasonProblem = ""

  var hasProblem: Bool { ![whatProblem, reasonProblem, untilProblem].allSatisfy(\.isEmpty) }

  var record: TemplateRecord {
    [
      "what": what, "reason": reason, "whatProblem": whatProblem, "reasonProblem": reasonProblem, "until": until,
      "untilProblem": untilProblem,
    ]
  }
}

extension Protection {
  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    [
      "what": what, "reason": reason, "addedBy": addedBy, "addedAt": PageTime(addedAt, texts),
      "until": expiresAt.map { PageTime($0, texts) }, "isSuppression": isSuppression,
    ]
  }
}
