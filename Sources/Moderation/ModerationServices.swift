// SPDX-License-Identifier: Apache-2.0

package import Curation
package import Storage

/// All services of moderation, created once at start and injected.
package struct ModerationServices: Sendable {
  package let decisions: DecisionService
  package let bulks: BulkService
  package let reviews: ReviewService
  package let appeals: AppealService
  package let claims: ClaimService
  package let ranges: RangeService
  package let filters: SavedFilterService

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
