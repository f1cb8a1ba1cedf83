// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import PhoneNumbers
import Storage

/// `/phoneblock/api/test` and `/account`, and the personal lists `/blacklist` and `/whitelist`
struct PhoneBlockAccount: Sendable {
  /// The JSON of an account. A device reads at most 512 bytes.
  private struct Account: Encodable {
    let lang = "en"
    let dialPrefix: String
    let displayName = ""
    let login = ""
    let email = ""
  }

  private struct List: Encodable {
    let numbers: [Entry]
  }

  private struct Entry: Encodable {
    let phone: String
    let rating: PhoneBlockRating
    /// Milliseconds since 1970.
    let created: Int64
    let wildcard: Bool
  }

  let personal: PersonalNumberStore
  let numbers: PhoneBlockNumber
  let pseudonymizer: Pseudonymizer
  let bodies: BodyReader

  @Sendable func test(_ request: Request, context: ServerRequestContext) async throws -> Response {
    PhoneBlockErrorMiddleware.text("ok")
  }

  @Sendable func account(_ request: Request, context: ServerRequestContext) async throws -> Response {
    JSON.response(Account(dialPrefix: numbers.dialPrefix))
  }

  /// The settings that clients send. The operator sets the region for all, so none of them changes anything.
  private struct Change: Decodable {
    let lang: String?
    let dialPrefix: String?
    let countryCode: String?
    let displayName: String?
    let email: String?
  }

  /// `PUT /phoneblock/api/account`: a client sends its settings after the login, and reads those that apply.
  @Sendable func change(_ request: Request, context: ServerRequestContext) async throws -> Response {
    try await bodies.read(request, .object, context: context) { data in
      _ = try JSON.decode(Change.self, from: data)
    }
    return try await account(request, context: context)
  }

  func list(isBlocked: Bool) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      let reporter = try pseudonymizer.pseudonym(of: request, context: context)
      let entries = try await withDeadline { [personal] in try await personal.entries(of: reporter) }
      return JSON.response(
        List(
          numbers: entries.filter { $0.isBlocked == isBlocked }.map { entry in
            Entry(
              phone: "+\(entry.number)", rating: isBlocked ? .missed : .legitimate,
              created: Int64(entry.addedAt.timeIntervalSince1970 * 1_000), wildcard: entry.isPrefix)
          }))
    }
  }

  /// Adds an entry to a list, and removes it from the other.
  func add(isBlocked: Bool) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      guard let keyID = context.app?.keyID else { throw Problem.unauthorized }
      let reporter = try pseudonymizer.pseudonym(of: request, context: context)
      let (number, isPrefix) = try target(request, context)
      let entry = PersonalNumber(number: number, isPrefix: isPrefix, isBlocked: isBlocked, addedAt: Date())
      let isAdded = try await withDeadline { [personal] in
        try await personal.add(entry, of: reporter, keyID: keyID)
      }
      guard isAdded else { throw PhoneBlockError.fullList }
      return Response(status: .noContent)
    }
  }

  func remove(isBlocked: Bool) -> @Sendable (Request, ServerRequestContext) async throws -> Response {
    { request, context in
      let reporter = try pseudonymizer.pseudonym(of: request, context: context)
      let (number, isPrefix) = try target(request, context)
      try await withDeadline { [personal] in
        try await personal.remove(number, isPrefix: isPrefix, isBlocked: isBlocked, of: reporter)
      }
      return Response(status: .noContent)
    }
  }

  private func target(
    _ request: Request, _ context: ServerRequestContext
  ) throws -> (number: Int64, isPrefix: Bool) {
    let component = try context.parameters.require("phone")
    let isPrefix = try PhoneBlockNumber.isPrefix(request)
    return (
      isPrefix ? try numbers.readPrefix(component: component) : try numbers.read(component: component).digits, isPrefix
    )
  }
}

/// The personal numbers of a user, for lookups.
struct PersonalList {
  private let entries: [PersonalNumber]

  init(_ entries: [PersonalNumber]) {
    self.entries = entries
  }

  /// The entry of a number, otherwise the longest beginning of it.
  func entry(_ number: Int64) -> PersonalNumber? {
    if let exact = entries.first(where: { !$0.isPrefix && $0.number == number }) { return exact }
    let digits = String(number)
    return entries.filter { $0.isPrefix && digits.hasPrefix(String($0.number)) }.max { $0.number < $1.number }
  }

  /// The entry of a number whose complete hash is known, otherwise the entry of its digits without the last one or two.
  func entry(
    _ hash: NumberSHA1Prefix, _ ten: NumberSHA1Prefix?, _ hundred: NumberSHA1Prefix?
  ) -> PersonalNumber? {
    guard !entries.isEmpty else { return nil }
    if let exact = exact(hash).first { return exact }
    for prefix in [ten, hundred] {
      guard let prefix else { continue }
      if let entry = entries.first(where: { $0.isPrefix && prefix.matches(NumberSHA1.of("+\($0.number)")) }) {
        return entry
      }
    }
    return nil
  }

  /// The entries of single numbers whose hash begins with a prefix.
  func exact(_ prefix: NumberSHA1Prefix) -> [PersonalNumber] {
    entries.filter { !$0.isPrefix && prefix.matches(NumberSHA1.of("+\($0.number)")) }
  }
}
