// SPDX-License-Identifier: Apache-2.0

import Crypto
import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Publishing
import Storage

/// `GET /v1/ranges`: the ranges that the newest publication lists because of rules.
///
/// A hash of one of millions of numbers cannot be inverted within a request. So a client that looks numbers up by hash reads
/// all ranges once for each publication and compares its number itself, which tells the server nothing about the number.
struct RangesController: Sendable {
  let ranges: PublishedRanges

  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let document = try await withDeadline { [ranges] in try await ranges.document() }
    var headers: HTTPFields = [.cacheControl: "private, max-age=\(PublicationCopy.hashSeconds)", .eTag: document.tag]
    if request.headers[.ifNoneMatch] == document.tag { return Response(status: .notModified, headers: headers) }
    headers[.contentType] = "application/json; charset=utf-8"
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: document.json)))
  }
}

/// The ranges of the newest publication as JSON, read again with each publication and every 30 seconds, because decisions
/// and protections apply at once.
actor PublishedRanges {
  struct Document: Sendable {
    let serial: Int64
    let count: Int
    let json: Data
    let tag: String
  }

  private struct Answer: Encodable {
    let serial: Int64
    let ranges: [Range]
  }

  private struct Range: Encodable {
    let first: String
    let last: String
    let category: String
    let label: String
    let block: Bool
  }

  private static let lifetime = Duration.seconds(30)

  private let store: ListedRangeStore
  private let callers: CallerStore
  private var known: (document: Document, until: ContinuousClock.Instant)?
  private var reading: Task<Document, any Error>?

  init(store: ListedRangeStore, callers: CallerStore) {
    (self.store, self.callers) = (store, callers)
  }

  func document() async throws -> Document {
    if let known, known.until > .now { return known.document }
    if let reading { return try await reading.value }
    let task = Task { [store, callers] in try await Self.make(store, callers) }
    reading = task
    defer { reading = nil }
    let document = try await task.value
    known = (document, .now + Self.lifetime)
    return document
  }

  private static func make(_ store: ListedRangeStore, _ callers: CallerStore) async throws -> Document {
    let found = try await store.ranges()
    let disputed = try await callers.disputed(in: found.ranges.map(\.numbers))
    let ranges = found.ranges.flatMap { item in
      let category = ReportCategory(rawValue: item.category) ?? .other
      return RangeMerge.subtract(disputed.overlapping(item.numbers), from: item.numbers).map { numbers in
        Range(
          first: "+\(numbers.lowerBound)", last: "+\(numbers.upperBound)", category: category.slug,
          label: item.label ?? category.label, block: item.blocks)
      }
    }
    let json = JSON.data(Answer(serial: found.serial, ranges: ranges))
    let tag = Hexadecimal.text(SHA256.hash(data: json).prefix(16))
    return Document(serial: found.serial, count: ranges.count, json: json, tag: "\"\(tag)\"")
  }
}
