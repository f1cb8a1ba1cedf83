// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Support

/// Renders templates as HTML responses in the reader's language. Every value is escaped.
package struct PageRenderer: Sendable {
  let catalog: MessageCatalog
  let countries: CountryChoices
  let areas: NumberAreas
  private let templates: ByLanguage<TemplateLibrary>
  var host = SiteHost()

  /// - Throws: if a template cannot be read or names a message that the catalog does not have. Languages other than
  ///   English are read with their first page.
  package init(templateFolder: String, catalog: MessageCatalog) throws {
    self.catalog = catalog
    countries = CountryChoices(catalog: catalog)
    areas = NumberAreas(file: "\(templateFolder)/../regions-us.tsv")
    templates = ByLanguage { try LocalizedTemplates(texts: catalog[$0]).library(folder: templateFolder) }
    _ = try templates[.english]
  }

  func texts(_ context: ServerRequestContext) -> Localizer { catalog[context.language] }

  /// - Parameters:
  ///   - name: a template in the template folder.
  ///   - values: the template sees them, and `frame`.
  /// - Throws: ``PageError`` if there is no such template.
  func page(
    _ name: String, _ values: TemplateRecord, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    guard let template = try templates[context.language][name] else {
      throw PageError(template: name, problem: "there is no such template")
    }
    let value = values.adding(["frame": PageLayout.record(context, texts(context)).adding(["host": host.record])])
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .contentLanguage: context.language.rawValue,
        .vary: "Accept-Language, Cookie",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: template.render(.record(value)))))
  }
}

/// Values of the languages, each made when it is first needed.
final class ByLanguage<Value: Sendable>: Sendable {
  private let make: @Sendable (Language) throws -> Value
  private let made = Mutex<[Language: Value]>([:])

  init(make: @escaping @Sendable (Language) throws -> Value) { self.make = make }

  subscript(language: Language) -> Value {
    get throws {
      if let value = made.withLock({ $0[language] }) { return value }
      // Without the lock, so that pages in other languages do not wait.
      let value = try make(language)
      made.withLock { $0[language] = value }
      return value
    }
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
    try Self.replacing(template, from: "[[", to: "]]") { key throws in
      guard let text = texts.find(key) else {
        throw MessageCatalogError(file: name, problem: "asks for \(key), which has no text in \(texts.language.name)")
      }
      return Self.markup(text)
    }
  }

  private static func markup(_ text: String) -> String {
    let parts = XMLText.escaped(text).split(separator: "`", omittingEmptySubsequences: false)
    let marked = parts.enumerated().map { index, part in
      // A backquote without its second one is text.
      index % 2 == 0 ? "\(part)" : index == parts.count - 1 ? "`\(part)" : "<code>\(part)</code>"
    }
    return replacing(marked.joined(), from: "{", to: "}") { name in
      let isVariable = name.first?.isLetter == true && !name.utf8.contains { "_-".utf8.contains($0) }
      return isVariable ? "{{\(name)}}" : "{\(name)}"
    }
  }

  /// Replaces the names of letters, digits, `_`, `.` and `-` that are between two marks. By bytes, because a
  /// language has many.
  private static func replacing(
    _ text: String, from start: StaticString, to end: StaticString, _ replacement: (String) throws -> String
  ) rethrows -> String {
    let bytes = Array(text.utf8)
    let (start, end) = (Array("\(start)".utf8), Array("\(end)".utf8))
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let first = index + start.count
      if bytes[index] == start[0], bytes[index...].starts(with: start) {
        let name = bytes[first...].prefix(while: isOfName)
        if !name.isEmpty, bytes[name.endIndex...].starts(with: end) {
          result += try replacement(String(decoding: name, as: UTF8.self)).utf8
          index = name.endIndex + end.count
          continue
        }
      }
      result.append(bytes[index])
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
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
