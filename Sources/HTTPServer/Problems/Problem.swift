// SPDX-License-Identifier: Apache-2.0

package import Curation
package import HTTPTypes
package import Hummingbird
import Intake
package import Logging
package import NIOCore
import Storage

/// A problem for API clients (RFC 9457).
package struct Problem: Error, Encodable {
  /// An error in one field.
  package struct Field: Encodable {
    /// RFC 6901, such as `/reported_at`.
    package let pointer: String
    /// Stable name of the rule.
    package let code: String
    package let detail: String

    package init(pointer: String, code: String, detail: String) {
      self.pointer = pointer
      self.code = code
      self.detail = detail
    }
  }

  /// Path of the documentation of this kind of problem.
  package let type: String
  package let title: String
  package let status: Int
  package let detail: String
  package var errors: [Field] = []
  /// Values for the page texts, by name.
  package var values: [String: String] = [:]
  /// Seconds to wait before trying again.
  package var retryAfter: Int?
  /// How a phone may attest again: `never`, `with_new_key`, `with_new_challenge` or `later`.
  package var tryAgain: String?
  package var headers: HTTPFields = [:]

  private enum CodingKeys: String, CodingKey {
    case type, title, status, detail, errors
    case tryAgain = "try_again"
  }

  /// - Parameter detail: the details of this case; by default the catalog's text.
  package init(_ kind: ProblemKind, detail: String? = nil, errors: [Field] = []) {
    let documentation = kind.documentation
    type = kind.path
    title = documentation.title
    status = documentation.status.code
    self.detail = detail ?? documentation.detail
    self.errors = errors
    retryAfter = documentation.retryAfter
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(title, forKey: .title)
    try container.encode(status, forKey: .status)
    try container.encode(detail, forKey: .detail)
    if !errors.isEmpty { try container.encode(errors, forKey: .errors) }
    try container.encodeIfPresent(tryAgain, forKey: .tryAgain)
  }

  package var body: ByteBuffer { JSON.encode(self) }

  /// The problem's fields of the response's head.
  package var fields: HTTPFields {
    var fields: HTTPFields = [.contentType: "application/problem+json"]
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    for field in headers { fields.append(field) }
    if status == 401, fields[.wwwAuthenticate] == nil { fields[.wwwAuthenticate] = "Bearer" }
    return fields
  }

  package var response: Response {
    Response(status: .init(code: status), headers: fields, body: .init(byteBuffer: body))
  }
}

extension Problem {
  /// The problem for an error. Internal failures are logged here once; their text is never sent.
  /// - Parameters:
  /// - path: the route's pattern, because addresses contain numbers.
  /// - log: logs internal failures at a limited rate.
  package static func answering(_ error: any Error, path: String, log: FailureLog, logger: Logger) -> Problem {
    let problem = of(error)
    // Deliberate refusals while the server is stopping or full are not logged as failures.
    if problem.status >= 500, !(error is Problem), !(error is IntakeError) {
      log.note(
        "request failed",
        metadata: [
          "http.route": .string(path), "http.status": .stringConvertible(problem.status),
          "error": .string(String(describing: error)),
        ], to: logger)
    }
    return problem
  }

  private static func of(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case is IntakeError, is DeadlineExceeded: .unavailable
    case is ErasureJournalUnavailable:
      Problem(
        .unavailable,
        detail: "The erasure journal cannot be written, so nothing was done. Send the request again later.")
    case let error as InvalidSubmission: .invalid(error.problems)
    case let error as HTTPError: of(error)
    default: StoreFailure(error) == .unavailable ? .unavailable : .internal
    }
  }

  private static func of(_ error: HTTPError) -> Problem {
    switch error.status {
    case .notFound: .notFound
    case .contentTooLarge: .tooLarge(limit: BodyReader.objectLimit)
    default: error.status.kind == .serverError ? .internal : Problem(.request)
    }
  }
}

extension Problem {
  /// The form belongs to another session or server.
  package static let staleForm = Problem(.staleForm)

  /// The body is not a form in a supported encoding.
  package static let noForm = Problem(.noForm)

  /// - Parameter role: the lowest role with permission.
  package static func needs(_ role: Role) -> Problem {
    switch role {
    case .triage: Problem(.needsTriage)
    case .moderator: Problem(.needsModerator)
    case .administrator: Problem(.needsAdministrator)
    }
  }
}
