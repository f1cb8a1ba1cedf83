// SPDX-License-Identifier: Apache-2.0

import Curation
package import Foundation
package import PostgreSQL

/// Whether second reviews and golden cases are on. They need a second and a third person, so an administrator can turn
/// them on once the team has enough moderators.
public struct ReviewActivation: Sendable, Equatable {
  /// Whether an administrator has turned them on.
  public var isRequested = false
  /// The enabled accounts that may decide and have signed in.
  public var moderators = 0

  public var isPossible: Bool { moderators >= ReviewPolicy.minModerators }
  /// Whether decisions are reviewed, and golden cases are among the reviews.
  public var isOn: Bool { isRequested && isPossible }
}

extension SQL {
  package static func readReviewActivation() -> Statement<ReviewActivation> {
    Statement(
      """
      SELECT EXISTS (SELECT 1 FROM review_activation),
        (SELECT count(*) FROM accounts WHERE role <> 'triage' AND disabled_at IS NULL AND signed_in_at IS NOT NULL)
      """
    ) { ReviewActivation(isRequested: try $0.decode(0), moderators: Int(try $0.decode(1, as: Int64.self))) }
  }

  /// Turns reviews on, once; returns a row when they were off.
  package static func turnReviewsOn(account: String, time: Date) -> Statement<Bool> {
    Statement(
      """
      INSERT INTO review_activation (only_row, turned_on_by, turned_on_at) VALUES (true, $1, $2)
      ON CONFLICT (only_row) DO NOTHING RETURNING only_row
      """,
      account, time)
  }

  /// Turns reviews off; returns a row when they were on.
  package static func turnReviewsOff() -> Statement<Bool> {
    Statement("DELETE FROM review_activation WHERE only_row RETURNING only_row")
  }
}
