// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Support

/// The name of an XML element.
struct DAVName: Hashable, Sendable {
  let namespace: String
  let name: String

  private static let carddav = "urn:ietf:params:xml:ns:carddav"

  static func dav(_ name: String) -> DAVName { DAVName(namespace: "DAV:", name: name) }
  static func card(_ name: String) -> DAVName { DAVName(namespace: carddav, name: name) }
  static func calendarServer(_ name: String) -> DAVName {
    DAVName(namespace: "http://calendarserver.org/ns/", name: name)
  }

  /// The maximum bytes of the name in an answer, which has it at the start and at the end of the element.
  var bytes: Int { 2 * name.utf8.count + XMLText.escaped(namespace).utf8.count }

  /// Whether a local name can be written into an answer.
  var isPlain: Bool {
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80 }
    return name.utf8.first.map(isLetter) ?? false
      && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
  }
}

/// The body of PROPFIND or REPORT: the names of properties and resources. All else is ignored.
struct DAVRequest: Sendable {
  private static let maxDepth = 16
  private static let maxProperties = 64
  /// The maximum bytes of the names of all properties: an answer repeats them for each card.
  private static let maxNameBytes = 4_096
  private static let maxPaths = 10_000

  /// The root element; nil for an empty body.
  private(set) var root: DAVName?
  /// The named properties; empty for all.
  private(set) var properties: [DAVName] = []
  /// The named resources.
  private(set) var paths: [String] = []
  /// The state that the client has; empty for none.
  private(set) var syncToken = ""
  /// The maximum resources that the client takes; nil without a limit.
  private(set) var limit: Int?

  /// - Throws: ``Problem`` for a body that is not XML, or has a document type.
  init(_ data: Data) throws {
    guard !data.isEmpty else { return }
    do {
      try read(data)
    } catch let fault as XMLFault {
      throw Problem.malformed("The body cannot be read as XML: \(fault.reason).")
    }
  }

  private struct Element {
    let name: DAVName
    /// Namespaces by prefix, with the namespaces of the elements around it.
    let namespaces: [String: String]
    var text = ""
  }

  private mutating func read(_ data: Data) throws {
    var tokens = XMLTokens(DataBytes(data: data), maxDepth: Self.maxDepth)
    var open: [Element] = []
    while let token = try tokens.next() {
      switch token {
      case .start(let tag):
        let element = try Self.element(tag, in: open.last?.namespaces ?? [:])
        if open.isEmpty { root = element.name }
        if open.last?.name == .dav("prop") { try add(element.name) }
        if !tag.isEmpty { open.append(element) }
      case .text(let text):
        guard let text else { throw XMLFault(reason: "it has an unknown reference") }
        open[open.count - 1].text += text
      case .end:
        guard let element = open.popLast() else { continue }
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        if element.name == .dav("href") {
          guard paths.count < Self.maxPaths else { throw XMLFault(reason: "it names more than 10,000 resources") }
          paths.append(text)
        }
        if element.name == .dav("sync-token"), open.count == 1 { syncToken = text }
        if element.name == .dav("nresults"), open.count == 2, open[1].name == .dav("limit") {
          guard let limit = Int(text), limit >= 0 else { throw XMLFault(reason: "nresults is not a number") }
          self.limit = limit
        }
      }
    }
  }

  private mutating func add(_ property: DAVName) throws {
    guard !properties.contains(property) else { return }
    properties.append(property)
    let bytes = properties.reduce(0) { $0 + $1.bytes }
    guard properties.count <= Self.maxProperties, bytes <= Self.maxNameBytes else {
      throw XMLFault(reason: "it names too many properties")
    }
  }

  private static func element(_ tag: XMLTag, in outer: [String: String]) throws -> Element {
    var namespaces = outer
    for (name, value) in tag.attributes {
      if name == "xmlns" { namespaces[""] = value }
      if name.hasPrefix("xmlns:") { namespaces[String(name.dropFirst(6))] = value }
    }
    let prefix = tag.name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(tag.name[..<$0]) } ?? ""
    guard let namespace = namespaces[prefix] ?? (prefix.isEmpty ? "" : nil) else {
      throw XMLFault(reason: "a prefix has no namespace")
    }
    let name = DAVName(namespace: namespace, name: tag.localName)
    guard name.isPlain, namespaces.count <= 32 else { throw XMLFault(reason: "a name is not plain") }
    return Element(name: name, namespaces: namespaces)
  }

  private struct DataBytes: XMLByteSource {
    let data: Data
    var place = 0

    mutating func next() -> UInt8? {
      guard place < data.count else { return nil }
      defer { place += 1 }
      return data[data.startIndex + place]
    }
  }
}

/// A multi-status response (RFC 4918).
struct DAVAnswer {
  private static let namespaces = [DAVName.dav("").namespace: "d", DAVName.card("").namespace: "card"]
  private static let contentType = "application/xml; charset=utf-8"

  /// Fields of every response.
  static let fields: HTTPFields = [
    HTTPField.Name("DAV")!: "1, 3, addressbook", .cacheControl: "private, no-cache",
  ]

  /// A program that is asked for many properties of many cards gets no longer answer.
  private static let maxBytes = 8 << 20
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

  mutating func addMissing(_ path: String) {
    guard hasRoom() else { return }
    text += "<d:response><d:href>\(XMLText.escaped(path))</d:href><d:status>HTTP/1.1 404 Not Found</d:status>"
    text += "</d:response>\n"
  }

  private mutating func hasRoom() -> Bool {
    count += 1
    if text.utf8.count > Self.maxBytes { isTooLong = true }
    return !isTooLong
  }

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
