// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Importing
import Storage

/// `/moderation/sources`: the lists that are downloaded. Administrators may add, refresh, resume and remove them, and
/// change their ceilings.
struct SourcePages: Sendable {
  let stores: Stores
  /// Nil if this server cannot read sources.
  let previews: SourcePreviewer?
  /// Public lists that are added by name.
  let catalog: [SourceCatalog.Entry]
  let pages: PageRenderer

  static let address = "/moderation/sources"
  private static let previewing = "source preview"

  private var sources: SourceStore { stores.sources }
  private var subscriptions: SourceSubscriptions { SourceSubscriptions(stores: stores) }

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await show(SourceDraft(Form(), pages.texts(context)), context, done: request.query("done"))
  }

  @Sendable func refresh(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"] else { throw Problem.notFound }
    guard try await sources.hasten(name, by: Actor(moderator), at: Date()) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=refresh", type: .normal)
  }

  /// Saves a ceiling. A higher one is saved only after its effect was shown.
  @Sendable func changeCeiling(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"],
      let ceiling = context.form["ceiling"].flatMap(SourceCeiling.init),
      let source = try await sources.source(named: name)
    else { throw Problem.notFound }
    if ceiling > source.settings.ceiling, context.form["confirm"] != source.version {
      let raised = try await makeQuestion(ceiling, of: source, pages.texts(context))
      return try await show(SourceDraft(Form(), pages.texts(context)), context, raised: raised)
    }
    guard try await sources.change(name, to: ceiling, by: Actor(moderator), at: Date()) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=ceiling", type: .normal)
  }

  /// Ends a subscription. A server withdraws the entries within minutes.
  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"] else { throw Problem.notFound }
    if let version = context.form["version"], version != (try await sources.source(named: name)?.version) {
      return .redirect(to: "\(Self.address)?done=changed", type: .normal)
    }
    guard try await sources.remove(name, by: Actor(moderator), at: Date()) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=remove", type: .normal)
  }

  /// Ends the suspension of a source.
  @Sendable func resume(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator, let name = context.form["name"] else { throw Problem.notFound }
    guard try await sources.resume(name, by: Actor(moderator), at: Date()) else { throw Problem.notFound }
    return .redirect(to: "\(Self.address)?done=resume", type: .normal)
  }

  /// Adds a source, or with the button "Preview" shows its effect.
  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let moderator = context.moderator else { throw Problem.notFound }
    let (form, texts) = (context.form, pages.texts(context))
    var draft = SourceDraft(form, texts)
    guard let settings = draft.read(form, texts) else { return try await show(draft, context) }
    do {
      // An administrator of the pages is not the operator of the machine and its network.
      try await SourceSubscriptions.checkIsPublic(settings.url)
      if form["action"] == "preview" {
        guard try await subscriptions.isFree(settings.name) else { throw AppError.nameTaken(settings.name) }
        let preview = try await runExclusively { previews in
          try await previews.withClient { try await previews.preview(settings, by: $0, at: Date()) }
        }
        draft.preview = preview?.tiles(texts) ?? []
        if draft.preview.isEmpty { draft.problems["url"] = texts("sources.no-preview") }
        return try await show(draft, context)
      }
      let isNew = try await subscriptions.add(settings, by: Actor(moderator), at: Date())
      guard isNew else { throw AppError.nameTaken(settings.name) }
    } catch let failure as SourceFailure {
      let text = texts.message("sources.failure", failure)
      if failure.code == .stillRemoving { draft.problems["name"] = text } else { draft.problems["url"] = text }
      return try await show(draft, context)
    } catch is AppError {
      draft.problems["name"] = texts("sources.name-taken")
      return try await show(draft, context)
    }
    return .redirect(to: "\(Self.address)?done=add", type: .normal)
  }

  /// Adds a list of the catalog, with the ceiling of the form. Without one its effect is shown, and the ceiling asked for.
  @Sendable func addListed(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let texts = pages.texts(context)
    guard let moderator = context.moderator,
      let entry = catalog.first(where: { $0.name == context.form["name"] && !$0.needsKey })
    else { throw Problem.notFound }
    var settings = entry.settings
    var problem = ""
    if let ceiling = context.form["ceiling"].flatMap(SourceCeiling.init) {
      settings.ceiling = ceiling
      do {
        if try await subscriptions.add(settings, rule: entry.rule, by: Actor(moderator), at: Date()) {
          return .redirect(to: "\(Self.address)?done=add", type: .normal)
        }
        problem = texts("sources.name-taken")
      } catch let failure as SourceFailure {
        problem = texts.message("sources.failure", failure)
      } catch is AppError {
        problem = texts("sources.name-taken")
      }
    }
    var listed: TemplateRecord = [
      "name": entry.name, "ceilings": SourceCeiling.choices(settings.ceiling, texts), "license": entry.license,
      "from": entry.blockComplaints.map { texts("sources.listed-block-from", ["complaints": texts.number($0)]) } ?? "",
    ]
    if problem.isEmpty {
      listed = try await listed.adding(
        effect(texts) { [settings] previews in
          try await previews.withClient { try await previews.preview(settings, rule: entry.rule, by: $0, at: Date()) }
        })
    } else {
      listed = listed.adding(["figures": [TemplateRecord](), "problem": problem])
    }
    return try await show(SourceDraft(Form(), texts), context, listed: listed)
  }

  /// The question whether to raise a ceiling, with the effect where it can be previewed.
  private func makeQuestion(
    _ ceiling: SourceCeiling, of source: Source, _ texts: Localizer
  ) async throws -> TemplateRecord {
    let question: TemplateRecord = [
      "name": source.name, "version": source.version, "value": ceiling.rawValue,
      "ceiling": texts("sources.ceiling-\(ceiling.rawValue)"),
    ]
    return try await question.adding(effect(texts) { try await $0.preview(ceiling, of: source, at: Date()) })
  }

  /// The effect of a change, or the reason why there are no figures.
  private func effect(
    _ texts: Localizer, _ preview: @escaping @Sendable (SourcePreviewer) async throws -> SourcePreview
  ) async throws -> TemplateRecord {
    var (figures, problem): ([TemplateRecord], String) = ([], "")
    do {
      let preview = try await runExclusively(preview)
      figures = preview?.tiles(texts) ?? []
      if preview == nil { problem = texts("sources.no-preview") }
    } catch let failure as SourceFailure {
      problem = texts.message("sources.failure", failure)
    }
    return ["figures": figures, "problem": problem]
  }

  /// One preview at a time on all servers.
  /// - Returns: nil where a preview is running, or this server cannot read sources.
  private func runExclusively(
    _ preview: @escaping @Sendable (SourcePreviewer) async throws -> SourcePreview
  ) async throws -> SourcePreview? {
    guard let previews else { return nil }
    return try await stores.leases.withLease(of: Self.previewing) { try await preview(previews) }
  }

  private func show(
    _ draft: SourceDraft, _ context: ServerRequestContext, done: String = "", raised: TemplateRecord? = nil,
    listed: TemplateRecord? = nil
  ) async throws -> Response {
    let texts = pages.texts(context)
    let (all, thresholds) = (try await sources.list(), try await stores.thresholds.current())
    let names = Set(all.map(\.name))
    return try pages.page(
      "sources",
      [
        "rows": all.map { source in
          let problems = source.settings.ineffective(source.id, SourceRuleChange(), in: thresholds)
          return source.record(texts).adding([
            "ineffective": problems.map { texts.message("sources.ineffective", $0) }.joined(separator: " "),
            "rule": "/moderation/thresholds/edit?list=\(source.id)",
          ])
        },
        "failing": all.count { $0.failure != nil }, "raised": raised, "listed": listed,
        "catalog": catalog.map { $0.record(isAdded: names.contains($0.name), texts) },
        "draft": draft.record, "done": texts.find("sources.done-\(done)") ?? "",
      ], context, status: draft.problems.isEmpty ? .ok : .unprocessableContent)
  }
}

extension SourceCeiling {
  fileprivate static func choices(_ chosen: SourceCeiling, _ texts: Localizer) -> [TemplateRecord] {
    allCases.map {
      .choice($0.rawValue, texts("sources.ceiling-\($0.rawValue)"), isChosen: $0 == chosen)
    }
  }
}

extension Source {
  /// Differs for a source of the same name that was added later.
  var version: String { "\(id)-\(Int64(addedAt.timeIntervalSince1970 * 1_000_000))" }

  fileprivate func record(_ texts: Localizer) -> TemplateRecord {
    let (error, detail) = failure.map { texts.parts("sources.failure", $0) } ?? ("", "")
    let found = quality.precision
    let precision = found.share.map {
      texts(
        "sources.precision",
        [
          "share": texts.percent($0), "confirmed": texts.number(found.confirmed),
          "decided": texts.number(found.decided),
        ])
    }
    return [
      "name": name, "version": version, "url": settings.url, "format": settings.format.rawValue,
      "license": settings.license ?? texts("sources.license-unknown"), "entries": texts.number(state.entries),
      // Empty before the first success.
      "refreshed": state.refreshedAt.map { PageTime($0, texts) }, "next": PageTime(nextAt, texts), "error": error,
      "detail": detail, "failures": failures > 0 ? texts.count("sources.failures", failures) : "",
      "ceilings": SourceCeiling.choices(settings.ceiling, texts),
      "precision": precision ?? texts("sources.precision-unknown"), "isSuspended": isSuspended,
      "rejected": rejected(texts),
      "unassigned": state.rejected.unassigned > 0
        ? texts("sources.unassigned", ["rows": texts.number(state.rejected.unassigned)]) : "",
    ]
  }

  /// The rejected rows of the last file; nil where there are none.
  private func rejected(_ texts: Localizer) -> TemplateRecord? {
    let rejected = state.rejected
    guard rejected.count > 0 else { return nil }
    // A reason of a newer version has no text.
    func reason(_ code: String) -> String { texts.find("sources.reason.\(code)") ?? code }
    let counts = ["rejected": texts.number(rejected.count), "rows": texts.number(rejected.rows)]
    return [
      "counts": texts("sources.rejected", counts), "exceedsThird": rejected.exceedsThird,
      "reasons": rejected.sortedReasons.map {
        ["reason": reason($0.code), "count": texts.number($0.count)] as TemplateRecord
      },
      "examples": rejected.examples.map {
        ["place": texts("sources.row", ["row": "\($0.row)"]), "text": $0.text, "reason": reason($0.reason)]
          as TemplateRecord
      },
    ]
  }
}

extension SourceCatalog.Entry {
  /// A row of the public lists.
  fileprivate func record(isAdded: Bool, _ texts: Localizer) -> TemplateRecord {
    [
      "name": name, "country": country == "world" ? texts("sources.world") : texts.country(country),
      "size": rows.map { texts.number($0) } ?? "–", "every": every, "license": license, "about": about,
      "ceiling": blockComplaints.map { texts("sources.ceiling-from", ["complaints": texts.number($0)]) }
        ?? texts("sources.ceiling-\(ceiling.rawValue)"),
      "isAdded": isAdded,
      // A key is read from a file of the server's machine.
      "command": needsKey ? "ringfence sources add \(name) --key-file FILE" : "",
    ]
  }
}

extension SourcePreview {
  fileprivate func tiles(_ texts: Localizer) -> [TemplateRecord] {
    [
      ("entries", entries), ("block", block), ("identify", identify), ("review", review), ("lost", lost),
      ("listed", listed), ("decided", decided), ("protected", protected), ("held", held), ("rejected", rejected.count),
      ("ranges", ranges),
    ].map { .tile("sources.preview-\($0)", $1, texts) }
  }
}

/// The form of a new source as it was filled in, with its errors.
private struct SourceDraft {
  private static let fields = ["name", "url", "format", "every", "ceiling", "license", "category"]

  /// The fields and their choices.
  private let values: TemplateRecord
  /// The error of each field.
  var problems: [String: String] = [:]
  /// Empty without a preview.
  var preview: [TemplateRecord] = []

  /// The formats of files. A subscription to another server needs its root from a trusted channel: the command adds it.
  private static let formats = SourceFormat.allCases.filter { $0 != .ringfence && !$0.protects }

  init(_ form: Form, _ texts: Localizer) {
    func text(_ name: String, _ usual: String = "") -> String { String((form[name] ?? usual).prefix(2_000)) }
    let (format, category) = (text("format", SourceFormat.csv.rawValue), text("category", ReportCategory.other.slug))
    values = [
      "name": text("name"), "url": text("url"), "license": text("license"),
      "every": text("every", Source.Settings.text(ofInterval: SourceFormat.csv.usualInterval)),
      "formats": Self.formats.map {
        TemplateRecord.choice($0.rawValue, $0.rawValue, isChosen: $0.rawValue == format)
      },
      "ceilings": SourceCeiling.choices(form["ceiling"].flatMap(SourceCeiling.init) ?? .review, texts),
      "categories": TemplateRecord.categories(chosen: category, texts),
    ]
  }

  var record: TemplateRecord {
    values.adding([
      "problems": TemplateRecord(Self.fields.map { ($0, problems[$0] ?? "") }), "preview": preview,
    ])
  }

  /// The settings of the form; nil where ``problems`` names a field.
  mutating func read(_ form: Form, _ texts: Localizer) -> Source.Settings? {
    let name = form.text("name") ?? ""
    if !App.isName(name) { problems["name"] = texts("sources.bad-name") }
    let url = form.text("url") ?? ""
    if !SourceSubscriptions.isAddress(url) { problems["url"] = texts("sources.bad-url") }
    let format = form["format"].flatMap(SourceFormat.init).flatMap { Self.formats.contains($0) ? $0 : nil }
    if format == nil { problems["format"] = texts("sources.bad-choice") }
    let every = form.text("every").flatMap { SourceSubscriptions.interval($0, of: format ?? .csv) }
    if every == nil { problems["every"] = texts("sources.bad-every") }
    let license = form.text("license")
    if let license, license.unicodeScalars.count > Source.Settings.maxLicense {
      problems["license"] = texts("sources.bad-license")
    }
    let ceiling = form["ceiling"].flatMap(SourceCeiling.init)
    if ceiling == nil { problems["ceiling"] = texts("sources.bad-choice") }
    let category = form["category"].flatMap { ReportCategory(slug: $0) }
    if category?.isToxic != true { problems["category"] = texts("sources.bad-choice") }
    guard problems.isEmpty, let every, let format, let ceiling, let category else { return nil }
    var options = SourceOptions()
    options.categories = format.usualCategories
    options.categories[SourceOptions.everyOther] = category.slug
    return Source.Settings(
      name: name, url: url, format: format, every: every, options: options, ceiling: ceiling, license: license,
      isPublic: true)
  }
}
