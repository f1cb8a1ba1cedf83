// SPDX-License-Identifier: Apache-2.0

import Curation
import Localization

/// The listing that a number would get in a publication made now, by the publication's rules.
struct CaseOutlook {
  struct Listed: Equatable {
    let category: ReportCategory
    let label: String?
    let isBlocked: Bool
  }

  /// Nil if a publication would contain the number only because of a directory entry, or not at all.
  let listed: Listed?

  init(_ explanation: Explanation) {
    let category = explanation.evaluation?.category ?? .other
    switch explanation.verdict {
    case .protected, .held: listed = nil
    case .decided:
      guard let decision = explanation.decision, decision.treatment != .allow else {
        listed = nil
        return
      }
      listed = Listed(
        category: decision.category ?? category, label: decision.label, isBlocked: decision.treatment == .block)
    case .listed, .candidate: listed = Listed(category: category, label: nil, isBlocked: !explanation.isVictim)
    case .needsReview, .quiet:
      listed = explanation.range == nil ? nil : Listed(category: category, label: nil, isBlocked: !explanation.isVictim)
    }
  }

  /// The outlook as text.
  func text(_ texts: Localizer) -> String {
    guard let listed else { return texts("case.outlook.out") }
    let name = listed.label ?? texts.category(listed.category)
    return texts(listed.isBlocked ? "case.outlook.block" : "case.outlook.identify", ["name": name])
  }

  /// The change that the next publication would make: `enters`, `leaves`, `changes`, `stays` or `out`.
  func change(from listing: Explanation.Listing?) -> String {
    switch (listing, listed) {
    case (nil, nil): "out"
    case (nil, _): "enters"
    case (_, nil): "leaves"
    case (let now?, let next?):
      now.category == next.category && (now.treatment == .block) == next.isBlocked ? "stays" : "changes"
    }
  }
}
