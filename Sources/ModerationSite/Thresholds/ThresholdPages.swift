// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Publishing
import Storage

/// `/moderation/thresholds`: limits for a listing and their versions. A change must be previewed before it is saved.
struct ThresholdPages: Sendable {
  let store: ThresholdStore
  let previews: ThresholdPreviews
  let pages: PageRenderer

  static let versions = 50
  static let address = "/moderation/thresholds"

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let wanted = request.uri.queryParameters["version"].flatMap { Int32(String($0)) }
    let history = try await store.history(limit: Self.versions)
    guard wanted == nil || history.contains(where: { $0.version == wanted }) else { throw Problem.notFound }
    let (version, set) = try await store.version(wanted)
    let texts = pages.texts(context)
    return try pages.page(
      "thresholds",
      set.record(lists: try await store.lists(), texts).adding([
        "version": version.record(isShown: true, texts), "isNewest": version.version == history.first?.version,
        "hasPreview": try await previews.hasPreview(context.account),
        "hasSaved": request.uri.queryParameters["saved"] != nil,
        "versions": history.map { $0.record(isShown: $0.version == version.version, texts) },
      ]), context)
  }

  @Sendable func edit(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let query = request.uri.queryParameters
    let texts = pages.texts(context)
    let (version, set) = try await store.version(nil)
    if let list = query["list"].flatMap({ Int32(String($0)) }) {
      let form = RuleForm(set.rule(ofList: list), texts)
      return try page(await listPage(list, form, base: version.version, set, texts), context)
    }
    if query["label"] != nil {
      return try page(labelPage(RuleForm(set.identify, texts), base: version.version, texts), context)
    }
    guard let category = query["category"].flatMap({ ReportCategory(slug: String($0)) }) else { throw Problem.notFound }
    let country = try CountryChoices.named(query["country"])
    let form = RuleForm(try threshold(category, country, in: set), texts)
    return try page(thresholdPage(category, country, form, base: version.version, set, context), context)
  }

  /// Checks the form and starts its preview.
  @Sendable func preview(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let form = context.form
    guard let base = form["base"].flatMap({ Int32($0) }) else { throw Problem.noForm }
    let texts = pages.texts(context)
    let (version, set) = try await store.version(nil)
    let isMoved = base != version.version
    let subject: ThresholdPreviews.Subject
    let change: ThresholdSet?
    let refused: TemplateRecord
    if let list = form["list"].flatMap({ Int32($0) }) {
      let present = set.rule(ofList: list)
      var typed = RuleForm(form, of: present)
      let isRemoval = form["remove"] != nil && list != SourceRule.everyList
      change =
        isRemoval
        ? try set.removing(ruleOfList: list) : try typed.rule(present: present, texts).map { try set.replacing($0) }
      subject = .list(list)
      refused = try await listPage(list, typed, base: version.version, set, texts)
    } else if form["label"] != nil {
      var typed = RuleForm(form, of: set.identify)
      change = try typed.rule(present: set.identify, texts).map { try set.replacing($0) }
      subject = .identify
      refused = labelPage(typed, base: version.version, texts)
    } else {
      guard let category = form["category"].flatMap(ReportCategory.init(slug:)), category.isToxic else {
        throw Problem.noForm
      }
      let country = try CountryChoices.named(form.text("country"))
      let present = try threshold(category, country, in: set)
      if form["show"] != nil {
        // The threshold of another country, with the figures that were typed.
        let other = try CountryChoices.named(form.text("for"))
        let kept = RuleForm(try threshold(category, other, in: set), keeping: form, typedOver: present, texts)
        return try page(thresholdPage(category, other, kept, base: base, set, context), context)
      }
      var typed = RuleForm(form, of: present)
      change =
        if form["remove"] != nil, let country {
          try set.removing(category, country: country)
        } else {
          try typed.rule(present: present, texts).map { try set.replacing($0) }
        }
      subject = .threshold(category, country: country)
      refused = try thresholdPage(category, country, typed, base: version.version, set, context)
    }
    guard !isMoved else { return try page(refused, context, problem: "thresholds.moved", .conflict) }
    guard let change else { return try page(refused, context, problem: "thresholds.wrong", .unprocessableContent) }
    guard change != set else { return try page(refused, context, problem: "thresholds.same", .unprocessableContent) }
    try await previews.start(
      ThresholdPreviews.Request(account: context.account, base: base, subject: subject, present: set, change: change))
    return .redirect(to: "\(Self.address)/preview", type: .normal)
  }

  /// Starts a failed or interrupted preview again.
  @Sendable func again(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await previews.startAgain(context.account)
    return .redirect(to: "\(Self.address)/preview", type: .normal)
  }

  @Sendable func result(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let (asked, state) = try await previews.preview(of: context.account) else {
      return .redirect(to: Self.address, type: .normal)
    }
    let values = try await asked.record(state, apps: store.apps(), pages.texts(context))
    return try pages.page("threshold-preview", values.adding(["problem": "", "reason": ""]), context)
  }

  /// Saves exactly the change of the account's preview.
  @Sendable func save(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    guard let moderator = context.moderator, let (asked, state) = try await previews.preview(of: context.account),
      context.form["preview"] == asked.id.uuidString, case .done = state
    else { return .redirect(to: Self.address, type: .normal) }
    let (apps, reason) = (try await store.apps(), context.form.text("reason") ?? "")
    func refuse(_ problem: String, _ status: HTTPResponse.Status) throws -> Response {
      let values = asked.record(state, apps: apps, texts)
        .adding(["problem": problem, "reason": String(reason.prefix(2_000))])
      return try pages.page("threshold-preview", values, context, status: status)
    }
    do {
      try await store.save(asked.change, after: asked.base, by: Actor(moderator), because: reason, at: Date())
    } catch let violation as RuleViolation {
      return try refuse(texts.message(violation), .unprocessableContent)
    } catch StorageError.thresholdsChanged {
      return try refuse(texts("thresholds.moved-saved"), .conflict)
    }
    try await previews.forget(context.account)
    return .redirect(to: "\(Self.address)?saved=1", type: .normal)
  }

  @Sendable func discard(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await previews.forget(context.account)
    return .redirect(to: Self.address, type: .normal)
  }

  private func threshold(
    _ category: ReportCategory, _ country: String?, in set: ThresholdSet
  ) throws -> Threshold {
    guard var threshold = set.threshold(for: category, country: { country }) else { throw Problem.notFound }
    threshold.country = country
    return threshold
  }

  private func thresholdPage(
    _ category: ReportCategory, _ country: String?, _ form: RuleForm<Threshold>, base: Int32, _ set: ThresholdSet,
    _ context: ServerRequestContext
  ) throws -> TemplateRecord {
    let texts = pages.texts(context)
    return [
      "title": texts("thresholds.edit-title", ["category": texts.category(category)]),
      "name": category.thresholdName(country, texts), "lead": texts("thresholds.edit-lead"), "base": base,
      "countries": try pages.countries.list(context.language, chosen: country),
      "slug": category.slug, "code": country ?? "",
      "list": "", "isLabel": false, "hasOwn": country != nil && set.own(category, country: country) != nil,
      "remove": texts("thresholds.remove"), "lines": form.lines(texts),
    ]
  }

  /// - Throws: `Problem` if the list does not exist.
  private func listPage(
    _ list: Int32, _ form: RuleForm<SourceRule>, base: Int32, _ set: ThresholdSet, _ texts: Localizer
  ) async throws -> TemplateRecord {
    guard let name = SourceRule.name(of: list, among: try await store.lists(), texts) else { throw Problem.notFound }
    return [
      "title": texts("thresholds.list-edit-title"), "name": name, "lead": texts("thresholds.list-edit-lead"),
      "base": base, "countries": [TemplateRecord](), "slug": "", "code": "", "list": "\(list)", "isLabel": false,
      // Whether the list has its own rule, which can be removed.
      "hasOwn": list != SourceRule.everyList && set.own(list: list) != nil,
      "remove": texts("thresholds.list-remove"), "lines": form.lines(texts),
    ]
  }

  private func labelPage(_ form: RuleForm<IdentifyRule>, base: Int32, _ texts: Localizer) -> TemplateRecord {
    [
      "title": texts("thresholds.label-edit-title"), "name": texts("thresholds.labels"),
      "lead": texts("thresholds.label-edit-lead"), "base": base, "countries": [TemplateRecord](), "slug": "",
      "code": "",
      "list": "", "isLabel": true, "hasOwn": false, "remove": "", "lines": form.lines(texts),
    ]
  }

  private func page(
    _ values: TemplateRecord, _ context: ServerRequestContext, problem: String? = nil,
    _ status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let problem = problem.map { pages.texts(context)($0) } ?? ""
    return try pages.page("threshold-edit", values.adding(["problem": problem]), context, status: status)
  }
}

extension SourceRule {
  static func name(of list: Int32, among lists: [App], _ texts: Localizer) -> String? {
    list == everyList ? texts("thresholds.every-list") : lists.name(of: list)
  }
}
