// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Publishing
import Support

/// Read-only address books by CardDAV (RFC 6352), for FRITZ!Box, phones and mail programs.
struct AddressBookController: Sendable {
  private static let root = "/carddav/"
  private static let principal = "/carddav/principal/"
  private static let home = "/carddav/books/"
  private static let tokenStart = "urn:ringfence:sync:"
  private static let cardType = "text/vcard; charset=utf-8"
  private static let depth = HTTPField.Name("Depth")!

  let books: AddressBooks
  let bodies: BodyReader
  let metrics: AddressBookMetrics

  // MARK: Properties

  private static func href(_ path: String) -> String { "<d:href>\(path)</d:href>" }
  private static func path(_ kind: AddressBook.Kind) -> String { "\(home)\(kind.rawValue)/" }
  private static func path(_ card: String, in kind: AddressBook.Kind) -> String { "\(path(kind))\(card)" }
  private static func syncToken(_ book: AddressBook) -> String { "\(tokenStart)\(book.serial)-\(book.tag)" }

  private static let common: [DAVName: String] = [
    .dav("current-user-principal"): href(principal), .dav("principal-URL"): href(principal),
    .dav("owner"): href(principal),
    .dav("current-user-privilege-set"): "<d:privilege><d:read/></d:privilege>",
  ]

  private static let collection = common.merging([
    .dav("resourcetype"): "<d:collection/>", .dav("displayname"): "Ringfence",
  ]) { $1 }

  private static let principalProperties = common.merging([
    .dav("resourcetype"): "<d:collection/><d:principal/>", .dav("displayname"): "Ringfence",
    .card("addressbook-home-set"): href(home),
  ]) { $1 }

  private static func properties(of book: AddressBook) -> [DAVName: String] {
    let reports = ["card:addressbook-multiget", "card:addressbook-query", "d:sync-collection"]
    return common.merging([
      .dav("resourcetype"): "<d:collection/><card:addressbook/>",
      .dav("displayname"): book.kind == .block ? "Ringfence: block" : "Ringfence: identify",
      .dav("getetag"): "\"\(book.tag)\"", .calendarServer("getctag"): book.tag, .dav("sync-token"): syncToken(book),
      .dav("supported-report-set"): reports.map {
        "<d:supported-report><d:report><\($0)/></d:report></d:supported-report>"
      }.joined(),
      .card("supported-address-data"): #"<card:address-data-type content-type="text/vcard" version="3.0"/>"#,
    ]) { $1 }
  }

  /// - Parameter hasData: whether the card itself is among the properties.
  private static func properties(of card: AddressBook.Card, hasData: Bool) -> [DAVName: String] {
    var properties = common.merging([
      .dav("resourcetype"): "", .dav("getetag"): "\"\(card.tag)\"", .dav("getcontenttype"): cardType,
      .dav("getcontentlength"): "\(card.text.utf8.count)",
    ]) { $1 }
    if hasData { properties[.card("address-data")] = XMLText.escaped(card.text) }
    return properties
  }

  // MARK: Requests

  static func options(_ methods: String) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { _, _ in
      var headers = DAVAnswer.fields
      headers[.allow] = methods
      return Response(status: .ok, headers: headers)
    }
  }

  /// `/.well-known/carddav`
  @Sendable func redirect(_ request: Request, context: ServerRequestContext) async throws -> Response {
    Response(status: .movedPermanently, headers: [.location: Self.root])
  }

  /// PUT and DELETE.
  @Sendable func refuse(_ request: Request, context: ServerRequestContext) async throws -> Response {
    DAVAnswer.refusal("need-privileges")
  }

  @Sendable func findRoot(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await properties(request, context) { answer, asked, hasMembers in
      answer.add(Self.root, Self.collection, asked: asked)
      guard hasMembers else { return }
      answer.add(Self.principal, Self.principalProperties, asked: asked)
      answer.add(Self.home, Self.collection, asked: asked)
    }
  }

  @Sendable func findPrincipal(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await properties(request, context) { answer, asked, _ in
      answer.add(Self.principal, Self.principalProperties, asked: asked)
    }
  }

  @Sendable func findBooks(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await properties(request, context) { answer, asked, hasMembers in
      answer.add(Self.home, Self.collection, asked: asked)
      guard hasMembers else { return }
      // Phones let calls of their contacts through, so they must not find the numbers to block by themselves.
      answer.add(Self.path(.identify), Self.properties(of: try await books.book(.identify)), asked: asked)
    }
  }

  @Sendable func findBook(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let kind = try kind(context)
    return try await properties(request, context) { answer, asked, hasMembers in
      let book = try await books.book(kind)
      answer.add(Self.path(kind), Self.properties(of: book), asked: asked)
      guard hasMembers else { return }
      for card in book.cards {
        answer.add(Self.path(card.name, in: kind), Self.properties(of: card, hasData: false), asked: asked)
      }
    }
  }

  @Sendable func findCard(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let card = try await card(context)
    let path = Self.path(card.name, in: try kind(context))
    return try await properties(request, context, isCollection: false) { answer, asked, _ in
      answer.add(path, Self.properties(of: card, hasData: false), asked: asked)
    }
  }

  @Sendable func read(_ request: Request, context: ServerRequestContext) async throws -> Response {
    metrics.note(.card)
    let card = try await card(context)
    let tag = EntityTag(card.tag)
    var headers = DAVAnswer.fields
    headers[.eTag] = tag.field
    if let known = request.headers[.ifNoneMatch], EntityTagList(known).contains(where: tag.matchesWeakly) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = Self.cardType
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: card.text)))
  }

  /// REPORT: cards by name, all cards, or the changes since a state.
  @Sendable func report(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let kind = try kind(context)
    // A program may ask for all cards by name.
    return try await bodies.read(request, .batch, context: context) { data in
      let asked = try DAVRequest(data)
      let book = try await books.book(kind)
      switch asked.root {
      case .card("addressbook-multiget"):
        metrics.note(.cards)
        return Self.named(asked, in: book)
      case .card("addressbook-query"):
        metrics.note(.cards)
        var answer = DAVAnswer()
        for card in book.cards { Self.add(card, of: book, to: &answer, asked) }
        return answer.response
      case .dav("sync-collection"):
        metrics.note(.changes)
        return try await changes(asked, in: book)
      default:
        throw Problem.malformed("The report must be addressbook-multiget, addressbook-query or sync-collection.")
      }
    }
  }

  private static func add(
    _ card: AddressBook.Card, of book: AddressBook, to answer: inout DAVAnswer, _ asked: DAVRequest
  ) {
    answer.add(path(card.name, in: book.kind), properties(of: card, hasData: true), asked: asked.properties)
  }

  /// The name of a card in a path or an address; nil for one outside the book.
  private static func name(in path: String, of kind: AddressBook.Kind) -> String? {
    var parts = (path.removingPercentEncoding ?? path).split(separator: "/")[...]
    if let scheme = parts.first, scheme.hasSuffix(":") { parts = parts.dropFirst(2) }
    let folder = Self.path(kind).split(separator: "/")
    guard parts.count == folder.count + 1, parts.starts(with: folder) else { return nil }
    return parts.last.map(String.init)
  }

  private static func named(_ asked: DAVRequest, in book: AddressBook) -> Response {
    var answer = DAVAnswer()
    var seen: Set<String> = []
    var answered = 0
    for path in asked.paths where seen.insert(path).inserted {
      // Each spelling of a path would be another copy.
      if let card = name(in: path, of: book.kind).flatMap({ book[$0] }), answered < 2 * book.cards.count {
        answered += 1
        answer.add(path, properties(of: card, hasData: true), asked: asked.properties)
      } else {
        answer.addMissing(path)
      }
    }
    return answer.response
  }

  /// The changes since the client's state; a client whose state is not kept asks again for everything.
  private func changes(_ asked: DAVRequest, in book: AddressBook) async throws -> Response {
    var answer = DAVAnswer()
    if asked.syncToken.isEmpty {
      for card in book.cards { Self.add(card, of: book, to: &answer, asked) }
    } else {
      guard let state = asked.syncToken.wholeMatch(of: /urn:ringfence:sync:([0-9]{1,18})-([0-9a-f]{32})/),
        let serial = Int64(state.1)
      else { return DAVAnswer.refusal("valid-sync-token") }
      if state.2 != book.tag {
        guard let earlier = await books.earlier(book.kind, serial: serial, tag: String(state.2)) else {
          return DAVAnswer.refusal("valid-sync-token")
        }
        let (changed, removed) = book.changes(since: earlier)
        for card in changed { Self.add(card, of: book, to: &answer, asked) }
        for name in removed { answer.addMissing(Self.path(name, in: book.kind)) }
      }
    }
    if let limit = asked.limit, answer.count > limit { return DAVAnswer.tooMany }
    answer.add(syncToken: Self.syncToken(book))
    return answer.response
  }

  /// Answers PROPFIND. A collection is not listed with the members of its members, for which a request without a depth
  /// asks too (RFC 4918).
  /// - Parameter add: adds the resources, with the named properties, and members of a collection where they are asked for.
  private func properties(
    _ request: Request, _ context: ServerRequestContext, isCollection: Bool = true,
    add: (inout DAVAnswer, [DAVName], Bool) async throws -> Void
  ) async throws -> Response {
    metrics.note(.properties)
    let depth = request.headers[Self.depth]?.lowercased() ?? "infinity"
    guard ["0", "1", "infinity"].contains(depth) else { throw Problem.malformed("Depth must be 0, 1 or infinity.") }
    return try await bodies.read(request, .envelope, context: context) { data in
      let asked = try DAVRequest(data).properties
      guard !isCollection || depth != "infinity" else { return DAVAnswer.refusal("propfind-finite-depth") }
      var answer = DAVAnswer()
      try await add(&answer, asked, depth == "1")
      return answer.response
    }
  }

  private func kind(_ context: ServerRequestContext) throws -> AddressBook.Kind {
    guard let kind = AddressBook.Kind(rawValue: try context.parameters.require("book")) else { throw Problem.notFound }
    return kind
  }

  private func card(_ context: ServerRequestContext) async throws -> AddressBook.Card {
    let name = try context.parameters.require("card")
    guard let card = try await books.book(try kind(context))[name] else { throw Problem.notFound }
    return card
  }
}
