// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import XMLSyntax

/// A multi-status response (RFC 4918).
struct DAVAnswer {
  private static let namespaces = [DAVName.dav("").namespace: "d", DAVName.card("").namespace: "card"]
  private static let contentType = "application/xml; charset=utf-8"

  /// Fields of every response.
  static let fields: HTTPFields = [
    HTTPField.Name("DAV")!: "1, 3, addressbook", .cacheControl: "private, no-cache",
  ]

  /// A program that is asked for many properties of many cards gets no longer answer.
  private static let mostBytes = 8 << 20
  private static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")

  /// The count of resources.
  private(set) var count = 0
  private var isTooLong = false
  private var text =
    #"<?xml version="1.0" encoding="utf-8"?>"# + "\n"
    + #"<d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">"#

  /// Adds a resource with its properties.
  /// - Parameters:
  ///   - path: as in the request.
  ///   - known: XML of each property.
  ///   - asked: the named properties; empty for all.
  mutating func add(_ path: String, _ known: [DAVName: String], asked: [DAVName]) {
    guard hasRoom() else { return }
    text += "<d:response><d:href>\(XMLText.escaped(path))</d:href>"
    let asked = asked.isEmpty ? known.keys.sorted { $0.name < $1.name } : asked
    add(asked.filter { known[$0] != nil }, status: "200 OK") { known[$0] ?? "" }
    add(asked.filter { known[$0] == nil }, status: "404 Not Found") { _ in "" }
    text += "</d:response>\n"
  }

  /// Adds a resource that does not exist.
  mutating func addMissing(_ path: String) {
    guard hasRoom() else { return }
    text += "<d:response><d:href>\(XMLText.escaped(path))</d:href><d:status>HTTP/1.1 404 Not Found</d:status>"
    text += "</d:response>\n"
  }

  private mutating func hasRoom() -> Bool {
    count += 1
    if text.utf8.count > Self.mostBytes { isTooLong = true }
    return !isTooLong
  }

  /// Adds the state of the collection.
  mutating func add(syncToken: String) { text += "<d:sync-token>\(syncToken)</d:sync-token>" }

  private mutating func add(_ names: [DAVName], status: String, content: (DAVName) -> String) {
    guard !names.isEmpty else { return }
    text += "<d:propstat><d:prop>"
    for name in names {
      let content = content(name)
      let end = content.isEmpty ? "/>" : ">\(content)"
      if let prefix = Self.namespaces[name.namespace] {
        text += "<\(prefix):\(name.name)\(end)" + (content.isEmpty ? "" : "</\(prefix):\(name.name)>")
      } else {
        text += "<\(name.name) xmlns=\"\(XMLText.escaped(name.namespace))\"\(end)"
        text += content.isEmpty ? "" : "</\(name.name)>"
      }
    }
    text += "</d:prop><d:status>HTTP/1.1 \(status)</d:status></d:propstat>"
  }

  var response: Response {
    guard !isTooLong else { return Self.tooMany }
    return Self.response(text + "</d:multistatus>\n", status: .init(code: 207, reasonPhrase: "Multi-Status"))
  }

  /// The refusal of an answer that is longer than the server or the client allows.
  static var tooMany: Response { refusal("number-of-matches-within-limits", status: insufficientStorage) }

  /// A refusal with the condition that the request does not meet.
  /// - Parameter condition: the local name of an element of `DAV:`.
  static func refusal(_ condition: String, status: HTTPResponse.Status = .forbidden) -> Response {
    response(
      #"<?xml version="1.0" encoding="utf-8"?>"# + "\n<d:error xmlns:d=\"DAV:\"><d:\(condition)/></d:error>\n",
      status: status)
  }

  private static func response(_ text: String, status: HTTPResponse.Status) -> Response {
    var headers = fields
    headers[.contentType] = contentType
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
