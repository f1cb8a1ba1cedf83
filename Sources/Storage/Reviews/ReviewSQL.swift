// SPDX-License-Identifier: Apache-2.0

/// SQL about reviews that several statements share.
enum ReviewSQL {
  /// Whether the decision in force counts for the weights of reporters: a decision to allow that has reach does so once a
  /// second person has confirmed it.
  /// - Parameter decision: the alias of `number_decisions`.
  static func counts(_ decision: String) -> String {
    """
    (\(decision).decision <> 'allow' OR NOT EXISTS (
       SELECT 1 FROM decision_reviews v
       WHERE v.number = \(decision).number AND v.decision_id = \(decision).decision_id AND v.cause = 'reach'
         AND v.state <> 'confirmed'))
    """
  }
}
