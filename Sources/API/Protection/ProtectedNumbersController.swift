// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import Hummingbird
import Moderation
import PhoneNumbers
import Storage
import Support

/// Protected numbers and patterns for service accounts with the scope administer.
struct ProtectedNumbersController: Sendable {
  let protection: ProtectionStore
  let bodies: BodyReader
  let texts: Localizer

  private struct Listing: Encodable {
    let protected: [[String: String]]
    /// The cursor of the next page; nil on the last one.
    let next: String?
  }

  private struct Body: Decodable {
    let what: String
    let region: String?
    let reason: String
    let until: String?
  }

  /// `GET /v1/moderation/protected`: all patterns on the first page, and numbers in ascending order.
  @Sendable func list(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let after = try request.parameter("cursor", "It must be the value of next.") { text in
      text.wholeMatch(of: /[0-9]{1,15}/).flatMap { Int64($0.output) }
    }
    let limit = try request.limit(upTo: 10_000)
    let patterns = after == nil ? try await protection.patterns() : []
    let numbers = try await protection.numbers(after: after ?? 0, limit: limit + 1)
    let shown = numbers.prefix(limit)
    return try JSON.uncachedResponse(
      Listing(
        protected: (patterns + shown.map(\.protection)).map(\.fields),
        next: numbers.count > limit ? shown.last.map { "\($0.number)" } : nil))
  }

  /// `POST /v1/moderation/protected`: protects a number or a pattern; the answer has the protection that it replaces.
  @Sendable func add(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let worker = try context.serviceAccount
    try request.requireJSON()
    return try await bodies.read(request, .object, context: context) { data in
      let body = try JSON.decode(Body.self, from: data)
      let (target, now) = (try target(body.what, region: body.region), Date())
      let end = body.until.flatMap { Timestamp.parse($0) }
      guard body.until == nil || end.map({ $0 > now }) == true else {
        let field = Problem.Field(pointer: "/until", code: "not_a_later_time", detail: "Send a later RFC 3339 time.")
        throw Problem(.invalidDecision, errors: [field])
      }
      let actor = Actor(name: worker.name, role: worker.role)
      do {
        guard let replaced = try await protection.set(target, reason: body.reason, until: end, by: actor, at: now)
        else {
          return Response(status: .noContent)
        }
        return try JSON.uncachedResponse(["replaced": replaced.fields])
      } catch let error as RuleViolation {
        throw try Problem.refusal(error, texts)
      } catch let error as ProtectionError {
        throw Problem(.invalidDecision, detail: error.description)
      }
    }
  }

  /// `DELETE /v1/moderation/protected/{what}`
  @Sendable func remove(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let (worker, text) = (try context.serviceAccount, try context.parameters.require("what"))
    guard let target = try? ProtectionTarget(text.removingPercentEncoding ?? text) else { throw Problem.notFound }
    guard try await protection.remove(target, by: worker, at: Date()) else { throw Problem.notFound }
    return Response(status: .noContent)
  }

  private func target(_ text: String, region: String?) throws -> ProtectionTarget {
    if let region, !PhoneRegion.isSupported(region) {
      let error = PhoneNumberError.unknownRegion(String(region.prefix(16)))
      throw Problem(.invalidDecision, errors: [.init(pointer: "/region", code: error.code, detail: error.description)])
    }
    do throws(ProtectedPatternError) {
      return try ProtectionTarget(reading: text, region: region)
    } catch {
      throw Problem(
        .invalidDecision, errors: [.init(pointer: "/what", code: error.rawValue, detail: texts.message(error))])
    }
  }
}

extension Protection {
  /// The members of a protection in the API.
  fileprivate var fields: [String: String] {
    let fields: [String: String?] = [
      "what": what, "reason": reason, "added_by": addedBy, "added_at": Timestamp.format(addedAt),
      "until": expiresAt.map { Timestamp.format($0) },
    ]
    return fields.compactMapValues { $0 }
  }
}
