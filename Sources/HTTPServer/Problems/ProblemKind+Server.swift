// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension ProblemKind {
  /// Kinds caused by the server.
  package var serverDocumentation: Documentation {
    switch self {
    case .unknownMethod:
      Documentation(
        status: .notImplemented, title: "Method not implemented",
        detail: "Use GET, HEAD, POST or DELETE, as documented.",
        cause: "No address of this server supports this method.", remedy: "Use the documented method.")
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
