// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import PageTemplates
import Timestamps

/// Renders templates as HTML responses in the reader's language. Every value is escaped.
struct PageRenderer: Sendable {
  let catalog: MessageCatalog
  private let templates: [Language: TemplateLibrary]

  /// - Throws: if a template cannot be read or names a message that the catalog does not have.
  init(templateFolder: String, catalog: MessageCatalog) throws {
    self.catalog = catalog
    templates = Dictionary(
      uniqueKeysWithValues: try Language.allCases.map { language in
        (language, try LocalizedTemplates(texts: catalog[language]).library(folder: templateFolder))
      })
  }

  /// The messages in the reader's language.
  func texts(_ context: ServerRequestContext) -> Localizer { catalog[context.language] }

  /// - Parameters:
  ///   - name: a template in the template folder.
  ///   - values: the template sees them, and `frame`.
  /// - Throws: ``PageError`` if there is no such template.
  func page(
    _ name: String, _ values: TemplateRecord, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    guard let template = templates[context.language]?[name] else {
      throw PageError(template: name, problem: "there is no such template")
    }
    let value = values.adding(["frame": PageLayout.record(context, texts(context))])
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .contentLanguage: context.language.rawValue,
        .vary: "Accept-Language, Cookie",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: template.render(.record(value)))))
  }
}

/// A failure to render a page. It includes no values, because errors are logged.
struct PageError: Error, Equatable {
  let template: String
  let problem: String
}

/// A time on a page, for the partial `time`: `{{#since}}{{>time}}{{/since}}`. A script shows it in the reader's time
/// zone.
struct PageTime: TemplateValueConvertible {
  /// RFC 3339.
  let datetime: String
  /// `21 November 2026, 09:00 UTC`.
  let text: String

  init(_ date: Date, _ texts: Localizer) {
    datetime = Timestamp.format(date)
    text = texts.time(datetime)
  }

  var templateValue: TemplateValue { .record(["datetime": datetime, "text": text]) }
}

/// Fills templates with the messages of a language: `[[queue.title]]` becomes that text.
///
/// A text is escaped for HTML. In it `{name}` becomes the variable `{{name}}`, and text between backquotes becomes
/// code. Templates are parsed after that, so messages cost nothing when pages are rendered.
struct LocalizedTemplates {
  /// The pattern of a message key in a template.
  static func key() -> Regex<(Substring, Substring)> { /\[\[([A-Za-z0-9_.\-]+)\]\]/ }

  let texts: Localizer

  /// Loads all templates of a folder, by their names without `.mustache`.
  /// - Throws: `MessageCatalogError` for a key without a text or a template that does not compile.
  func library(folder: String) throws -> TemplateLibrary {
    let suffix = ".mustache"
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }
    var sources: [String: String] = [:]
    for name in names {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      sources[String(name.dropLast(suffix.count))] = try fill(text, of: name)
    }
    do {
      return try TemplateLibrary(sources)
    } catch {
      throw MessageCatalogError(file: "\(folder)/\(error.template)\(suffix)", problem: "\(error.error)")
    }
  }

  /// - Parameter name: the template's name, for the error.
  func fill(_ template: String, of name: String) throws -> String {
    try template.replacing(Self.key()) { match in
      guard let text = texts.find(String(match.1)) else {
        throw MessageCatalogError(
          file: name, problem: "asks for \(match.1), which has no text in \(texts.language.name)")
      }
      return Self.markup(text)
    }
  }

  private static func markup(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
      .replacing(/`([^`]*)`/) { "<code>\($0.1)</code>" }
      .replacing(/\{([A-Za-z][A-Za-z0-9.]*)\}/) { "{{\($0.1)}}" }
  }
}

extension Problem {
  /// Values of the template `problem`. Known kinds have the texts `problem.KIND.title` and `problem.KIND.detail`; others
  /// use the texts of the API.
  func record(_ texts: Localizer) -> TemplateRecord {
    let kind = type.split(separator: "/").last.map(String.init) ?? ""
    let values = values.merging(["seconds": texts.number(retryAfter ?? 0)]) { own, _ in own }
    return [
      "title": texts.find("problem.\(kind).title") ?? title,
      "detail": texts.find("problem.\(kind).detail", values) ?? detail, "status": status,
    ]
  }
}
