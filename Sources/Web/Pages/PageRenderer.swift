import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

/// Renders templates into HTML answers. Mustache escapes every value.
struct PageRenderer: Sendable {
  let templates: MustacheLibrary

  /// - Parameter name: of a template in the templates' folder.
  func page(_ name: String, _ values: Any, status: HTTPResponse.Status = .ok) -> Response {
    // A missing template is a broken installation; the test of every page finds it.
    let html = templates.render(values, withTemplate: name) ?? ""
    return Response(
      status: html.isEmpty ? .internalServerError : status,
      headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: html)))
  }
}
