// SPDX-License-Identifier: Apache-2.0

import Localization
import Foundation
import PageTemplates

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
