// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// All kinds of problems: thrown by code, explained in the documentation and listed in the OpenAPI document. The raw
/// value is the last part of `type`.
package enum ProblemKind: String, CaseIterable, Sendable {
  // The request.
  case malformed
  case cutShort = "cut-short"
  case region
  case request
  case unauthorized
  case scope
  case badProof = "bad-proof"
  case noHost = "no-host"
  case anotherSite = "another-site"
  case notFound = "not-found"
  case nothingPublished = "nothing-published"
  case notANumber = "not-a-number"
  case notAPrefix = "not-a-prefix"
  case methodNotAllowed = "method-not-allowed"
  case notAcceptable = "not-acceptable"
  case tooSlow = "too-slow"
  case conflict
  case attestationRefused = "attestation-refused"
  case withdrawn
  case preconditionFailed = "precondition-failed"
  case tooLarge = "too-large"
  case unsupportedMediaType = "unsupported-media-type"
  case unsupportedEncoding = "unsupported-encoding"
  case range
  case invalidReport = "invalid-report"
  case invalidBatch = "invalid-batch"
  case invalidDecision = "invalid-decision"
  case caseClaimed = "case-claimed"
  case caseDecided = "case-decided"
  case tooMany = "too-many"
  case headersTooLarge = "headers-too-large"
  case limited
  // Pages.
  case noForm = "no-form"
  case staleForm = "stale-form"
  case needsTriage = "needs-triage"
  case needsModerator = "needs-moderator"
  case needsAdministrator = "needs-administrator"
  // The server.
  case `internal`
  case unknownMethod = "unknown-method"
  case unavailable
  case busy
  case stopping

  /// The path of its page, which is its `type`.
  package var path: String { "/problems/\(rawValue)" }

  package struct Documentation: Sendable {
    package let status: HTTPResponse.Status
    package let title: String
    /// The default detail of a response.
    package let detail: String
    package let cause: String
    package let remedy: String
    /// Seconds in `Retry-After` if constant; 0 if they vary.
    package var retryAfter: Int?
  }

  package var documentation: Documentation { requestDocumentation ?? pageDocumentation ?? serverDocumentation }
  package var status: HTTPResponse.Status { documentation.status }

  package var example: Problem {
    switch self {
    case .malformed:
      Problem(
        self, errors: [.init(pointer: "/number", code: "missing", detail: "This field is required.")])
    case .invalidReport:
      Problem(
        self,
        errors: [
          .init(pointer: "/reported_at", code: "too_old", detail: "The report is older than one year.")
        ])
    case .invalidBatch:
      Problem(
        self, errors: [.init(pointer: "/items/3/day", code: "too_old", detail: "The day is more than 30 days ago.")])
    case .attestationRefused: .attestation(refused: "challenge_expired", tryAgain: "with_new_challenge")
    case .invalidDecision:
      Problem(
        self, errors: [.init(pointer: "/reason", code: "reason_missing", detail: "A reason is required.")])
    default: Problem(self)
    }
  }
}

extension ProblemKind {
  /// Kinds that only pages use; nil for others.
  var pageDocumentation: Documentation? {
    switch self {
    case .noForm:
      Documentation(
        status: .badRequest, title: "Invalid form", detail: "Send the fields as application/x-www-form-urlencoded.",
        cause: "A moderation page received a request that is not a form.",
        remedy: "Use the buttons of the page. Programs use the API.")
    case .staleForm:
      Documentation(
        status: .forbidden, title: "Form expired",
        detail:
          "You have signed in again since you opened this page. Go back, reload the page and send the form again.",
        cause: "The form was made for another session, or by another site.", remedy: "Reload the page.")
    case .needsTriage: Self.needs("triage")
    case .needsModerator: Self.needs("moderator")
    case .needsAdministrator: Self.needs("administrator")
    default: nil
    }
  }

  private static func needs(_ role: String) -> Documentation {
    Documentation(
      status: .forbidden, title: "Access denied",
      detail: "This requires the role \(role) or a higher one. Ask an administrator.",
      cause: "The signed-in account has a lower role.",
      remedy: "Ask an administrator to do it, or to change the role."
    )
  }
}

extension ProblemKind {
  /// Kinds caused by the server.
  var serverDocumentation: Documentation {
    switch self {
    case .unknownMethod:
      Documentation(
        status: .notImplemented, title: "Method not implemented",
        detail: "No address supports this method. Use one that openapi.json documents for the address.",
        cause: "No address of this server supports this method.",
        remedy: "Use a method that openapi.json documents for the address.")
    case .unavailable:
      Documentation(
        status: .serviceUnavailable, title: "Service unavailable",
        detail: "Acknowledged data is not lost. Send the same request again after Retry-After.",
        cause: "The database cannot be reached, or too many reports wait to be stored.",
        remedy: "Send the same request again after Retry-After. With the same IDs, nothing is counted twice.",
        retryAfter: 2)
    case .busy:
      Documentation(
        status: .serviceUnavailable, title: "Server busy",
        detail: "The server has no memory for this body. Send the request again after Retry-After.",
        cause: "Many large bodies arrived at the same time.",
        remedy: "Send it again after Retry-After, or in smaller batches.", retryAfter: 2)
    case .stopping:
      Documentation(
        status: .serviceUnavailable, title: "Server stopping", detail: "The server is stopping.",
        cause: "The operator is stopping or updating the server.",
        remedy: "Send the request again after Retry-After. A load balancer uses another server.", retryAfter: 5)
    default:
      Documentation(
        status: .internalServerError, title: "Internal error",
        detail:
          "The request failed because of an error on the server. Send it again. If the error continues, contact the operator.",
        cause: "An error on the server. Its log has the details.",
        remedy: "Send the same request again. If the error continues, send the operator the time of the request.")
    }
  }
}
