import Curation
import Localization

/// Where a number would stand in a publication that were made now, by the rules that make one.
struct CaseOutlook {
  struct Listed: Equatable {
    let category: ReportCategory
    let label: String?
    let isBlocked: Bool
  }

  /// Nil where no publication would hold it other than by a directory's name.
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
    case .watched, .quiet:
      listed = explanation.range == nil ? nil : Listed(category: category, label: nil, isBlocked: !explanation.isVictim)
    }
  }

  /// The outlook in words.
  func text(_ texts: Localizer) -> String {
    guard let listed else { return texts("case.outlook.out") }
    let name = listed.label ?? texts.category(listed.category)
    return texts(listed.isBlocked ? "case.outlook.block" : "case.outlook.identify", ["name": name])
  }

  /// What the next publication would change: `enters`, `leaves`, `changes`, `stays` or `out`.
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
