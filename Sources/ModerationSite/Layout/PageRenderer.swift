// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Localization
import HTTPTypes
import Hummingbird
import NIOCore
import PageTemplates

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
  /// - name: a template in the template folder.
  /// - values: the template sees their stored properties, and `frame`.
  /// - Throws: ``PageError``, or an error of the values' own encoding.
  func page(
    _ name: String, _ values: some Encodable, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let frame = PageLayout(context: context, texts: texts(context))
    guard let template = templates[context.language]?[name] else {
      throw PageError(template: name, problem: "there is no such template")
    }
    let value: TemplateValue?
    do {
      value = try TemplateValue(PageValues(values: values, frame: frame))
    } catch EncodingError.invalidValue(_, let details) {
      throw PageError(template: name, problem: details.debugDescription)
    }
    guard let value else { throw PageError(template: name, problem: "there are no values") }
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .contentLanguage: context.language.rawValue,
        .vary: "Accept-Language, Cookie",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: template.render(value))))
  }
}

/// A failure to render a page. It includes no values, because errors are logged.
struct PageError: Error, Equatable {
  let template: String
  let problem: String
}
