// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Publishing
import Storage

/// `GET /v1/numbers/{number}` and `GET /v1/numbers/by-hash/{prefix}`
struct NumbersController: Sendable {
  let explanations: ExplanationStore
  let lookups: HashLookupStore
  let ranges: PublishedRanges
  let appeals: AppealStore
  let newest: NewestManifest
  let catalog: MessageCatalog

  /// Explains why a number is listed or not, in the language of the request. The number is in international format,
  /// with the plus (`%2B`) or without.
  @Sendable func explain(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let number = try Self.number(try context.parameters.require("number"))
    let explanation = try await withDeadline { [explanations, appeals, newest] in
      try await newest.stating(try await explanations.explainCoarsely(number.digits, at: Date()), appeals)
    }
    let language = Language(accepting: request.headers[.acceptLanguage])
    var response = JSON.response(LocalizedExplanation(explanation, catalog[language]))
    response.headers[.cacheControl] = "private, max-age=\(PublicationCopy.lookupSeconds)"
    response.headers[.contentLanguage] = language.rawValue
    response.headers[.vary] = "Accept-Language"
    return response
  }

  /// The number of a path.
  /// - Throws: ``Problem`` `not-a-number`.
  static func number(_ text: String) throws -> PhoneNumber {
    var plain = Substring(text.removingPercentEncoding ?? text)
    if plain.first == "+" { plain.removeFirst() }
    guard (1...15).contains(plain.utf8.count), plain.first != "0",
      plain.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let digits = Int64(plain),
      let number = PhoneNumber(digits: digits)
    else { throw Problem.notANumber }
    return number
  }

  /// All listed numbers whose hash begins with the prefix. Thousands of numbers share a prefix, and the client compares
  /// the full hash itself. The padding hides the count of entries from observers.
  @Sendable func byHash(_ request: Request, context: ServerRequestContext) async throws -> Response {
    guard let prefix = NumberHashPrefix(try context.parameters.require("prefix")) else { throw Problem.notAPrefix }
    let listed = try await withDeadline { [lookups] in try await lookups.listed(prefix) }
    let ranges = try await withDeadline { [ranges] in try await ranges.document() }
    let answer = HashAnswer(
      prefix: prefix.text, entries: listed.map(HashAnswer.Entry.init), ranges: HashAnswer.Ranges(ranges))
    let padded = answer.padded
    var headers: HTTPFields = [.cacheControl: "private, max-age=\(PublicationCopy.hashSeconds)", .eTag: padded.tag]
    if request.headers[.ifNoneMatch] == padded.tag { return Response(status: .notModified, headers: headers) }
    headers[.contentType] = "application/json; charset=utf-8"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: padded.json)))
  }
}

struct HashAnswer: Encodable {
  /// A listed number.
  struct Entry: Encodable {
    /// 64 hex digits.
    let hash: String
    let category: String
    let label: String
    /// Whether the number may be blocked; otherwise apps may only identify it.
    let block: Bool

    init(_ listed: ListedHash) {
      hash = Hexadecimal.text(listed.hash)
      category = listed.category.slug
      label = listed.label
      block = listed.mayBlock
    }
  }

  /// The ranges that the client compares its number with.
  struct Ranges: Encodable {
    let count: Int
    let path: String
    let serial: Int64

    /// - Returns: nil where there are no ranges.
    init?(_ document: PublishedRanges.Document) {
      guard document.count > 0 else { return nil }
      (count, path, serial) = (document.count, "/v1/ranges", document.serial)
    }
  }

  let prefix: String
  let entries: [Entry]
  /// Nil where no rule lists numbers.
  let ranges: Ranges?
  /// Zeros that hide the true length of the response.
  var padding = ""

  /// Responses are padded to a multiple of this size in bytes, about 25 entries. With 2,000,000 listed numbers,
  /// prefixes of four digits have about 31 entries, and nearly all responses are two steps long; prefixes of six or
  /// more need one.
  private static let step = 4_096

  /// How many bytes are missing to a multiple.
  static func padding(after bytes: Int) -> Int { (step - bytes % step) % step }

  /// The padded bytes, and an entity tag that depends only on the content.
  var padded: (json: Data, tag: String) {
    var answer = self
    let bare = JSON.data(answer)
    answer.padding = String(repeating: "0", count: Self.padding(after: bare.count))
    let tag = Hexadecimal.text(SHA256.hash(data: bare).prefix(16))
    return (JSON.data(answer), "\"\(tag)\"")
  }
}
