// SPDX-License-Identifier: Apache-2.0

import Curation
import PostgreSQL

/// Reviews within the caller's transaction.
extension PostgresConnection {
  /// Opens the review of a new decision where the policy asks for one. Safe to repeat.
  /// - Parameter rule: the state of the number before the decision.
  func openReview(of decision: Decision, _ rule: AllowRule, by policy: ReviewPolicy) async throws {
    guard let cause = policy.cause(of: decision.id, decision.treatment, rule) else { return }
    var category = decision.category
    if category == nil { category = try await run(ReadHottestCategory(number: decision.number)).first }
    _ = try await run(OpenReview(decision: decision, cause: cause, category: category))
  }
}
