import HTTPServer
import Localization
import HTTPTypes
import Hummingbird
import NIOCore
import PageTemplates

/// Renders templates into HTML answers, in the reader's language. Every value is escaped.
struct PageRenderer: Sendable {
  let catalog: MessageCatalog
  private let templates: [Language: TemplateLibrary]

  /// - Throws: when a template or a text cannot be read, or one asks for what the other lacks.
  init(templateFolder: String, textFolder: String) throws {
    let catalog = try MessageCatalog(folder: textFolder)
    self.catalog = catalog
    templates = Dictionary(
      uniqueKeysWithValues: try Language.allCases.map { language in
        (language, try LocalizedTemplates(texts: catalog[language]).library(folder: templateFolder))
      })
  }

  /// What pages say, in the language of the reader.
  func texts(_ context: ServerRequestContext) -> Localizer { catalog[context.language] }

  /// - Parameters:
  ///   - name: of a template in the templates' folder.
  ///   - values: the template sees their stored properties, and `frame`.
  func page(
    _ name: String, _ values: some Encodable, _ context: ServerRequestContext, status: HTTPResponse.Status = .ok
  ) -> Response {
    let frame = PageLayout(context: context, texts: texts(context))
    // A missing template is a broken installation, and the compiler wrote what encodes values: the test of every page
    // finds either.
    let html =
      (try? TemplateValue(PageValues(values: values, frame: frame))).flatMap { value in
        templates[context.language]?[name]?.render(value)
      } ?? []
    return Response(
      status: html.isEmpty ? .internalServerError : status,
      headers: [
        .contentType: "text/html; charset=utf-8", .contentLanguage: context.language.rawValue,
        .vary: "Accept-Language, Cookie",
      ],
      body: .init(byteBuffer: ByteBuffer(bytes: html)))
  }
}
