public import Foundation

/// What a moderator saw of a number when a case was opened: a form carries it, so that a stale page overwrites nothing.
///
/// A number that is called about all day changes with every report. So reports make a page stale only where they weigh: when
/// they change the verdict or the leading category, or are a quarter more than there were, and four.
public struct CaseVersion: Sendable, Equatable {
  /// What is not as it was seen.
  public enum Change: String, Sendable, CaseIterable {
    /// Another decision stands, or none.
    case decision
    /// It is held, protected, listed or watched in another way.
    case verdict
    /// Its leading category is another.
    case category
    /// An appeal came, or was answered.
    case appeals
    /// A publication has taken it up, or let it go.
    case publication
    /// Many more reports came.
    case reports
    /// Somebody else has taken the case; ``changes(to:)`` does not know of it.
    case claim
  }

  /// The decision that stands.
  public var decision: UUID?
  /// What is to become of it.
  public var verdict: Verdict
  /// The hottest toxic category.
  public var category: ReportCategory?
  /// Appeals that nobody has answered.
  public var openAppeals: Int
  /// Whether the newest publication has it.
  public var isPublished: Bool
  /// Reports that stand.
  public var reports: Int64

  /// - Parameter explanation: what is shown of the number.
  public init(_ explanation: Explanation) {
    decision = explanation.decision?.decisionID
    verdict = explanation.verdict
    category = explanation.score?.leading
    openAppeals = explanation.openAppeals
    isPublished = explanation.listing != nil
    reports = explanation.score?.parts.reduce(0) { $0 + $1.reports } ?? 0
  }

  /// As a form carries it.
  public var text: String {
    [
      decision?.uuidString.lowercased() ?? "none", verdict.rawValue, "\(category?.rawValue ?? 0)", "\(openAppeals)",
      isPublished ? "1" : "0", "\(reports)",
    ].joined(separator: ".")
  }

  /// - Parameter text: what a form carried; nil for anything that ``text`` has not written.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, let verdict = Verdict(rawValue: parts[1]), let category = Int16(parts[2]),
      let openAppeals = Int(parts[3]), let reports = Int64(parts[5]), ["0", "1"].contains(parts[4])
    else { return nil }
    if parts[0] != "none" {
      guard let decision = UUID(uuidString: parts[0]) else { return nil }
      self.decision = decision
    }
    self.verdict = verdict
    self.category = ReportCategory(rawValue: category)
    self.openAppeals = openAppeals
    isPublished = parts[4] == "1"
    self.reports = reports
  }

  /// What has changed since this was seen, in the order of ``Change``; empty while the page is good.
  public func changes(to now: CaseVersion) -> [Change] {
    var changes: [Change] = []
    if now.decision != decision { changes.append(.decision) }
    if now.verdict != verdict { changes.append(.verdict) }
    if now.category != category { changes.append(.category) }
    if now.openAppeals != openAppeals { changes.append(.appeals) }
    if now.isPublished != isPublished { changes.append(.publication) }
    if now.reports > max(0, reports) + max(0, reports) / 4 + 4 { changes.append(.reports) }
    return changes
  }
}
