// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import PostgreSQL

/// Reviews within the caller's transaction.
extension PostgresConnection {
  /// Opens the review of a new decision where the policy asks for one. Safe to repeat.
  /// - Parameters:
  ///   - rule: the state of the number before the decision.
  ///   - replaced: the decision that was in force before.
  func openReview(
    of decision: Decision, replacing replaced: UUID? = nil, _ rule: AllowRule, by policy: ReviewPolicy
  ) async throws {
    let cause = policy.cause(of: decision.id, decision.treatment, rule)
    guard cause != nil || (replaced != nil && decision.treatment == .allow) else { return }
    var category = decision.category
    if category == nil { category = try await run(SQL.readHottestCategory(number: decision.number)).first }
    _ = try await run(SQL.openReview(decision: decision, cause: cause, category: category, replaced: replaced))
  }
}
