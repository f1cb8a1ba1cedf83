// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Storage

/// `/moderation/templates`: the texts that moderators choose from, and their versions, for administrators.
struct TemplatePages: Sendable {
  let templates: TemplateStore
  let pages: PageRenderer

  static let address = "/moderation/templates"
  private static let versions = 50

  @Sendable func show(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let list = chosen(context) { request.query($0) }
    let shown = Int32(request.query("version"))
    return try await show(context, list, version: shown, done: request.query("done"))
  }

  /// Saves a list as a new version. A text of the catalog stays a code, so that every reader sees it in their language.
  @Sendable func save(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (form, worker, texts) = (context.form, try context.worker, pages.texts(context))
    let list = chosen(context) { form[$0] ?? "" }
    let outcomes = form.all("outcome").map { TextTemplates.Outcome(rawValue: $0) }
    let typed = form.all("text").enumerated().filter { !$0.element.allSatisfy(\.isWhitespace) }
      .map { (text: $0.element, outcome: outcomes.indices.contains($0.offset) ? outcomes[$0.offset] : nil) }
    let named = [("kind", list.kind.rawValue), ("language", list.language), ("category", list.category?.slug ?? "")]
    let unknown =
      named.first { form[$0] ?? "" != $1 }.map { ($0.0, form[$0.0] ?? "") }
      ?? form.all("outcome").first { !$0.isEmpty && TextTemplates.Outcome(rawValue: $0) == nil }.map { ("outcome", $0) }
    if let (field, value) = unknown {
      let problem = texts("templates.unknown", ["field": field, "value": value])
      return try await show(context, list, typed: typed, problem: problem)
    }
    guard typed.count <= TextTemplates.most else {
      return try await show(context, list, typed: typed, problem: texts.count("templates.too-many", TextTemplates.most))
    }
    do {
      let own = try typed.map { text, outcome throws(RuleViolation) in
        list.kind == .reason
          ? (try RuleViolation.line(text, "text", atMost: list.kind.length), nil)
          : (try RuleViolation.text(text, "text", atMost: list.kind.length), outcome)
      }
      let catalog = Language(rawValue: list.language).map { pages.catalog[$0] } ?? texts
      let stored = own.map { text, outcome in
        list.kind.builtIn.first { $0.text(list.kind, catalog) == text && $0.outcome == outcome }
          ?? .own(text, for: outcome)
      }
      let former = Int32(form["former"] ?? "") ?? 0
      guard try await templates.save(stored, as: list, after: former, by: worker, at: Date()) else {
        return try await show(context, list, typed: typed, problem: texts("templates.changed"))
      }
    } catch is RuleViolation {
      let problem = texts.count("templates.wrong", list.kind.length)
      return try await show(context, list, typed: typed, problem: problem)
    }
    return .redirect(to: list.address("done", "saved"), type: .normal)
  }

  private func chosen(_ context: ServerRequestContext, _ field: (String) -> String) -> TextTemplates.List {
    TextTemplates.List(
      TextTemplates.Kind(rawValue: field("kind")) ?? .reason,
      language: Language(rawValue: field("language"))?.rawValue ?? context.language.rawValue,
      category: ReportCategory(slug: field("category")))
  }

  /// - Parameters:
  ///   - version: an earlier version to show; nil for the newest.
  ///   - typed: the texts to show again after a problem.
  private func show(
    _ context: ServerRequestContext, _ list: TextTemplates.List, version: Int32? = nil,
    typed: [(text: String, outcome: TextTemplates.Outcome?)]? = nil,
    problem: String = "", done: String = ""
  ) async throws -> Response {
    let texts = pages.texts(context)
    let catalog = Language(rawValue: list.language).map { pages.catalog[$0] } ?? texts
    let set = try await templates.version(version)
    let shown = typed ?? set[list].map { ($0.text(list.kind, catalog), $0.outcome) }
    let page: TemplateRecord = [
      "done": done == "saved" ? texts("templates.saved") : "", "problem": problem,
      "isAnswer": list.kind == .answer, "length": list.kind.length, "former": Int(set.version),
      "isDefault": set.lists[list] == nil,
      "kind": list.kind.rawValue, "language": list.language, "category": list.category?.slug ?? "",
      "kinds": TextTemplates.Kind.allCases.map {
        TemplateRecord.choice($0.rawValue, texts("templates.kind.\($0.rawValue)"), isChosen: $0 == list.kind)
      },
      "languages": Language.allCases.map {
        TemplateRecord.choice($0.rawValue, $0.name, isChosen: $0.rawValue == list.language)
      },
      "categories": TemplateRecord.categories(chosen: list.category?.slug, texts),
      "texts": (0..<TextTemplates.most).map { place in
        [
          "key": place + 1, "name": texts("templates.text", ["key": "\(place + 1)"]),
          "text": place < shown.count ? shown[place].text : "",
          "outcomes": ([nil] + TextTemplates.Outcome.allCases).map { outcome in
            TemplateRecord.choice(
              outcome?.rawValue ?? "", texts("templates.outcome.\(outcome?.rawValue ?? "either")"),
              isChosen: place < shown.count && shown[place].outcome == outcome)
          },
          "outcomeName": texts("templates.outcome", ["key": "\(place + 1)"]),
        ] as TemplateRecord
      },
      "versions": try await templates.history(limit: Self.versions).map { saved in
        [
          "version": texts.number(saved.version), "by": saved.savedBy, "time": PageTime(saved.savedAt, texts),
          "address": list.address("version", "\(saved.version)"),
          "isShown": saved.version == version ?? set.version,
        ] as TemplateRecord
      },
    ]
    return try pages.page("templates", page, context, status: problem.isEmpty ? .ok : .unprocessableContent)
  }
}

extension TextTemplates.List {
  /// The address of the list with one more field.
  fileprivate func address(_ name: String, _ value: String) -> String {
    Query.address(
      TemplatePages.address,
      ["kind": kind.rawValue, "language": language, "category": category?.slug ?? "", name: value])
  }
}

extension TextTemplates.Text {
  /// The value in a form: what is stored.
  var value: String {
    switch self {
    case .builtIn(let code): code
    case .own(let text, _): text
    }
  }

  func text(_ kind: TextTemplates.Kind, _ texts: Localizer) -> String {
    guard case .builtIn(let code) = self else { return value }
    return kind == .reason ? texts.reason(code) : texts.find("case.answer.\(code)") ?? code
  }
}
