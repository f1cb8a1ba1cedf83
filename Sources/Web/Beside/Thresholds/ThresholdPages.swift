import Curation
import Foundation
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Publishing
import Storage

/// `/moderation/thresholds`: what is asked of a number, version by version; a change is previewed before it can be saved.
struct ThresholdPages: Sendable {
  let store: ThresholdStore
  let previews: ThresholdPreviews
  let countries: CountryChoices
  let pages: PageRenderer

  /// The versions that the list shows.
  static let versions = 50
  static let address = "/moderation/thresholds"

  @Sendable func list(_ request: Request, context: WebContext) async throws -> Response {
    let wanted = request.uri.queryParameters["version"].flatMap { Int32(String($0)) }
    let history = try await store.history(limit: Self.versions)
    guard wanted == nil || history.contains(where: { $0.version == wanted }) else { throw Problem.notFound }
    let (version, set) = try await store.version(wanted)
    let texts = pages.texts(context)
    return pages.page(
      "thresholds",
      ThresholdsPage(
        version: version, set: set, history: history, lists: try await store.lists(),
        hasPreview: try await previews.hasPreview(context.account),
        hasSaved: request.uri.queryParameters["saved"] != nil, texts), context)
  }

  @Sendable func edit(_ request: Request, context: WebContext) async throws -> Response {
    let query = request.uri.queryParameters
    guard let category = query["category"].flatMap({ ReportCategory(slug: String($0)) }), category.isToxic else {
      throw Problem.notFound
    }
    let (version, set) = try await store.version(nil)
    let country = query["country"].flatMap { PhoneRegion(String($0))?.code }
    guard let threshold = set.threshold(for: category, country: { country }) else { throw Problem.notFound }
    return show(ThresholdForm(threshold, pages.texts(context)), base: version.version, set, context, country: country)
  }

  /// Checks the form and asks for its preview.
  @Sendable func preview(_ request: Request, context: WebContext) async throws -> Response {
    let form = context.form
    guard let category = form["category"].flatMap(ReportCategory.init(slug:)), category.isToxic,
      let base = form["base"].flatMap({ Int32($0) })
    else { throw Problem.noForm }
    let country = form.text("country").flatMap { PhoneRegion($0)?.code }
    let (version, set) = try await store.version(nil)
    var typed = ThresholdForm(form, category: category, country: country)
    guard base == version.version else {
      return show(typed, base: version.version, set, context, country: country, problem: "thresholds.moved", .conflict)
    }
    let present = set.threshold(for: category) { country }
    let change: ThresholdSet
    if form["remove"] != nil, let country {
      change = try set.removing(category, country: country)
    } else {
      guard let threshold = typed.threshold(present: present, texts: pages.texts(context)) else {
        return show(
          typed, base: base, set, context, country: country, problem: "thresholds.wrong", .unprocessableContent)
      }
      change = try set.replacing(threshold)
    }
    guard change != set else {
      return show(typed, base: base, set, context, country: country, problem: "thresholds.same", .unprocessableContent)
    }
    try await previews.start(
      ThresholdPreviews.Request(
        account: context.account, base: base, category: category, country: country, present: set, change: change))
    return .redirect(to: "\(Self.address)/preview", type: .normal)
  }

  /// Begins a preview anew that could not be made, or was broken off.
  @Sendable func again(_ request: Request, context: WebContext) async throws -> Response {
    try await previews.startAgain(context.account)
    return .redirect(to: "\(Self.address)/preview", type: .normal)
  }

  @Sendable func result(_ request: Request, context: WebContext) async throws -> Response {
    guard let (asked, state) = try await previews.preview(of: context.account) else {
      return .redirect(to: Self.address, type: .normal)
    }
    return pages.page("threshold-preview", ThresholdPreviewPage(asked, state, pages.texts(context)), context)
  }

  /// Saves what the account's preview has shown, and nothing else.
  @Sendable func save(_ request: Request, context: WebContext) async throws -> Response {
    let texts = pages.texts(context)
    guard let moderator = context.moderator, let (asked, state) = try await previews.preview(of: context.account),
      context.form["preview"] == asked.id.uuidString, case .done = state
    else { return .redirect(to: Self.address, type: .normal) }
    func refuse(_ key: String, _ status: HTTPResponse.Status) -> Response {
      let reason = String((context.form.text("reason") ?? "").prefix(2_000))
      return pages.page(
        "threshold-preview", ThresholdPreviewPage(asked, state, texts, problem: texts(key), reason: reason), context,
        status: status)
    }
    guard let reason = context.form.text("reason") else {
      return refuse("thresholds.reason-needed", .unprocessableContent)
    }
    guard reason.unicodeScalars.count <= 500 else { return refuse("thresholds.reason-long", .unprocessableContent) }
    let now = Date()
    do {
      try await store.save(
        asked.change, after: asked.base, by: moderator.name, because: reason, at: now,
        audit: ThresholdChange(asked).event(by: moderator, because: reason))
    } catch StorageError.thresholdsChanged {
      return refuse("thresholds.moved-saved", .conflict)
    }
    try await previews.forget(context.account)
    return .redirect(to: "\(Self.address)?saved=1", type: .normal)
  }

  /// Forgets the account's preview.
  @Sendable func discard(_ request: Request, context: WebContext) async throws -> Response {
    try await previews.forget(context.account)
    return .redirect(to: Self.address, type: .normal)
  }

  private func show(
    _ form: ThresholdForm, base: Int32, _ set: ThresholdSet, _ context: WebContext, country: String?,
    problem: String? = nil, _ status: HTTPResponse.Status = .ok
  ) -> Response {
    let texts = pages.texts(context)
    let hasOwn = country.map { code in
      set.thresholds.contains { $0.category == form.category && $0.country == code }
    }
    return pages.page(
      "threshold-edit",
      ThresholdEditPage(
        form, base: base, country: country, hasOwn: hasOwn ?? false,
        countries: countries.list(context.language, chosen: country), problem: problem.map { texts($0) } ?? "", texts),
      context, status: status)
  }
}

/// What a change of thresholds says in the trail.
struct ThresholdChange {
  let category: ReportCategory
  let country: String?
  let before: Threshold?
  let after: Threshold?

  init(_ asked: ThresholdPreviews.Request) {
    (category, country) = (asked.category, asked.country)
    let own = { (set: ThresholdSet) in
      set.thresholds.first { $0.category == asked.category && $0.country == asked.country }
    }
    before = own(asked.present)
    after = own(asked.change)
  }

  func event(by moderator: Moderator, because reason: String) -> AuditEvent {
    AuditEvent(
      actor: moderator.name, role: moderator.role, action: after == nil ? "thresholds.remove" : "thresholds.set",
      subject: country.map { "\(category.slug) \($0)" } ?? category.slug, before: before?.audited,
      after: after?.audited, reason: reason)
  }
}
