// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import Storage

extension RateLimiter {
  private static let rateLimit = HTTPField.Name("RateLimit")!
  private static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!

  /// Takes the rest of a request's cost after the first token.
  /// - Throws: ``Problem`` with status 429.
  package func charge(_ cost: Int, context: ServerRequestContext) throws {
    guard cost > 0, let refusal = take(cost, network: context.network, appID: context.app?.id) else { return }
    throw Problem.limited(refusal)
  }

  /// The fields `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers: the remaining tokens (r)
  /// and the seconds until the bucket is full (t); the bucket's quota (q) and the seconds that it takes to fill (w).
  package func headers(network: ClientNetwork, appID: Int32?) -> HTTPFields {
    let allowances = allowances(network: network, appID: appID)
    guard !allowances.isEmpty else { return [:] }
    let left = allowances.map { "\"\($0.limit)\";r=\($0.standing.tokens);t=\($0.standing.fullIn)" }
    let policies = allowances.map { allowance in
      let window = (allowance.rate.burst + allowance.rate.perSecond - 1) / allowance.rate.perSecond
      return "\"\(allowance.limit)\";q=\(allowance.rate.burst);w=\(window)"
    }
    return [
      Self.rateLimit: left.joined(separator: ", "), Self.rateLimitPolicy: policies.joined(separator: ", "),
    ]
  }
}
