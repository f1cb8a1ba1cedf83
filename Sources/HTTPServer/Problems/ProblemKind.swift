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
  case withdrawn
  case preconditionFailed = "precondition-failed"
  case tooLarge = "too-large"
  case unsupportedMediaType = "unsupported-media-type"
  case unsupportedEncoding = "unsupported-encoding"
  case range
  case invalidReport = "invalid-report"
  case invalidBatch = "invalid-batch"
  case tooMany = "too-many"
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

  /// The description of a kind.
  package struct Documentation: Sendable {
    package let status: HTTPResponse.Status
    package let title: String
    /// The default detail of a response.
    package let detail: String
    package let cause: String
    /// The action for the client.
    package let remedy: String
    /// Seconds in `Retry-After` if constant; 0 if they vary.
    package var retryAfter: Int?
  }

  package var documentation: Documentation { requestDocumentation ?? pageDocumentation ?? serverDocumentation }
  package var status: HTTPResponse.Status { documentation.status }

  /// An example of the response.
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
    default: Problem(self)
    }
  }
}
