// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Moderation
import PhoneNumbers
import Storage

/// The moderation API under `/v1/moderation`: the services of the pages for programs.
struct ModerationRoutes {
  let services: APIServices
  let network: NetworkLimitMiddleware
  let bodies: BodyReader
  let texts: Localizer

  func add(to router: Router<ServerRequestContext>) {
    let stores = services.stores
    // Reading the numbers of a long file lasts longer than other requests.
    let deadline = DatabaseDeadline { try await stores.health.check() }
    let cases = CasesController(queue: stores.queue, cases: stores.cases, bodies: bodies, texts: texts)
    let decisions = DecisionsController(
      cases: stores.cases, service: services.moderation.decisions, bodies: bodies, texts: texts)
    let bulks = BulksController(
      bulks: stores.bulks, service: services.moderation.bulks, bodies: bodies, texts: texts)
    group(router, deadline, .moderate)
      .get("cases", use: cases.list)
      .get("cases/:number", use: cases.read)
      .post("cases/:number/notes", use: cases.note)
      .post("cases/:number/decisions", use: decisions.decide)
      .delete("cases/:number/decisions/:decision_id", use: decisions.undo)
      .post("bulks", use: bulks.decide)
      .get("bulks/:bulk_id", use: bulks.read)
      .delete("bulks/:bulk_id", use: bulks.undo)
    let protected = ProtectedNumbersController(protection: stores.protection, bodies: bodies, texts: texts)
    group(router, deadline, .administer)
      .get("protected", use: protected.list)
      .post("protected", use: protected.add)
      .delete("protected/:what", use: protected.remove)
      .get("audit-log", use: AuditLogController(auditLog: stores.auditLog).list)
      .get("sources", use: SourcesController(sources: stores.sources).list)
  }

  private func group(
    _ router: Router<ServerRequestContext>, _ deadline: DatabaseDeadline, _ scope: AppScopes
  ) -> RouterGroup<ServerRequestContext> {
    DeadlineRoutes(router, deadline: deadline).group("v1/moderation").add(middleware: network)
      .add(middleware: APIKeyMiddleware(directory: services.apps))
      .add(middleware: AppLimitMiddleware(limiter: services.limiter)).add(middleware: ScopeMiddleware(scope: scope))
  }
}

extension ServerRequestContext {
  var serviceAccount: Actor {
    get throws {
      guard let worker = app?.serviceAccount else { throw Problem.unauthorized }
      return worker
    }
  }

  /// The UUID of a path's parameter; one that is no UUID identifies nothing.
  func uuid(_ name: String) throws -> UUID {
    guard let id = UUID(uuidString: try parameters.require(name)) else { throw Problem.notFound }
    return id
  }

  var number: PhoneNumber {
    get throws { try NumbersController.number(try parameters.require("number")) }
  }
}

extension Request {
  private static let idempotencyKey = HTTPField.Name("Idempotency-Key")!

  /// `Idempotency-Key` without quotes, which are usual around it.
  var idempotencyKeyText: String? {
    headers[Self.idempotencyKey]?.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
  }

  /// The UUID of `Idempotency-Key`: a repeated request has the same one.
  func idempotencyKey() throws -> UUID {
    guard let id = idempotencyKeyText.flatMap({ UUID(uuidString: $0) }) else {
      throw Problem.malformed("Send a UUID in the header Idempotency-Key, the same one when you repeat the request.")
    }
    return id
  }

  /// False if the parameter is missing.
  func flag(_ name: String) throws -> Bool {
    guard let text = uri.queryParameters[Substring(name)] else { return false }
    guard let value = Bool(String(text)) else { throw Problem.parameter(name, text, "It must be true or false.") }
    return value
  }

  /// A parameter of the query, read by a function; nil if it is missing.
  /// - Parameter rule: what the parameter must be.
  func parameter<Value>(_ name: String, _ rule: String, _ read: (String) -> Value?) throws -> Value? {
    guard let text = uri.queryParameters[Substring(name)] else { return nil }
    guard let value = read(String(text)) else { throw Problem.parameter(name, text, rule) }
    return value
  }

  func limit(upTo most: Int) throws -> Int {
    try parameter("limit", "It must be 1 to \(most).") { Int($0).flatMap { (1...most).contains($0) ? $0 : nil } }
      ?? min(100, most)
  }

  /// - Throws: ``Problem`` where the body is not JSON.
  func requireJSON() throws {
    guard JSON.mediaType(of: self) == "application/json" else { throw Problem.unsupportedMediaType }
  }
}

extension Problem {
  /// The refusal of a decision or another change.
  /// - Parameter error: of a service; others are thrown again.
  static func refusal(_ error: any Error, _ texts: Localizer) throws -> Problem {
    switch error {
    case let violation as RuleViolation: Problem(.invalidDecision, errors: [Field(violation, texts)])
    case DecisionError.stale: Problem(.caseDecided)
    case DecisionError.protected:
      Problem(
        .invalidDecision, errors: [Field(RuleViolation(.numberProtected, field: "number"), texts)])
    default: throw error
    }
  }
}

extension Problem.Field {
  /// - Parameter value: what was sent for a field that takes some values alone; nil for other fields.
  init(_ violation: RuleViolation, value: String? = nil, _ texts: Localizer) {
    let value = value.map { "\"\(VisibleText.beginning(of: $0))\": " } ?? ""
    self.init(pointer: "/\(violation.field)", code: violation.code.name, detail: value + texts.message(violation))
  }

  /// A row of a file: its line and field.
  init(_ problem: DecisionRowProblem, _ texts: Localizer) {
    let value = problem.value.isEmpty ? "" : "\"\(problem.value)\": "
    self.init(
      pointer: "/\(problem.line)/\(problem.violation.field)", code: problem.violation.code.name,
      detail: value + texts.message(problem.violation))
  }
}
