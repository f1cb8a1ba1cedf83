// SPDX-License-Identifier: Apache-2.0

/// The verdict about a number. The first case that applies, from the top, is the verdict.
public enum Verdict: String, Sendable, CaseIterable {
  /// It may never be published, whatever is reported.
  case protected
  /// A moderator's decision is in force and alone decides.
  case decided
  /// A rule against brigading holds it; a decision releases it.
  case held
  /// The last publication lists it because of reports, and it meets the `leave` limits: the next one lists it too.
  case listed
  /// The last publication does not list it, and it meets the `enter` limits: the next one lists it.
  case candidate
  /// It is not going to be listed, but its heat reaches the threshold's review heat. A number that has just fallen
  /// below its `leave` limits needs review or is quiet.
  case needsReview = "needs_review"
  /// None of these.
  case quiet
}
