// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Storage

/// All services of moderation, created once at start and injected.
package struct ModerationServices: Sendable {
  /// Decisions about single numbers.
  package let decisions: DecisionService
  /// Decisions about many numbers at once.
  package let bulks: BulkService
  /// Second reviews of decisions, and golden cases.
  package let reviews: ReviewService
  /// Appeals of the owners of numbers.
  package let appeals: AppealService
  /// Claims and levels of cases.
  package let claims: ClaimService
  /// Rules for ranges of numbers.
  package let ranges: RangeService
  /// Filters of the queue that accounts save.
  package let filters: SavedFilterService

  /// - Parameter policy: the decisions that another moderator reviews.
  package init(stores: Stores, reviews policy: ReviewPolicy = .standard) {
    let pool = stores.pool
    decisions = DecisionService(pool: pool, reviews: policy)
    bulks = BulkService(pool: pool, reviews: policy)
    reviews = ReviewService(pool: pool, policy: policy)
    appeals = AppealService(pool: pool, reviews: policy)
    claims = ClaimService(pool: pool)
    ranges = RangeService(stores: stores)
    filters = SavedFilterService(pool: pool)
  }
}
