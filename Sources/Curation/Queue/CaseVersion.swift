// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The state of a number when a moderator opened its case; a form contains it, so that a stale page overwrites nothing.
///
/// A number with many complaints changes with every report. So reports make a page stale only when they change the
/// verdict or the leading category, or when there are more than a quarter plus four new ones.
public struct CaseVersion: Sendable, Equatable {
  /// A difference from the state that was seen.
  public enum Change: String, Sendable, CaseIterable {
    /// Another decision is in force, or none.
    case decision
    case verdict
    /// Its leading category is another.
    case category
    /// An appeal was filed or answered.
    case appeals
    /// A publication has listed or removed it.
    case publication
    /// Many more reports arrived.
    case reports
    /// Somebody else has claimed the case; ``changes(to:)`` does not check this.
    case claim
  }

  /// The decision in force.
  public var decision: UUID?
  public var verdict: Verdict
  /// The category of the evaluation.
  public var category: ReportCategory?
  public var openAppeals: Int
  /// Whether the newest publication lists it.
  public var isPublished: Bool
  /// Reports that are not withdrawn.
  public var reports: Int64

  /// - Parameter explanation: the explanation that the page shows.
  public init(_ explanation: Explanation) {
    decision = explanation.decision?.decisionID
    verdict = explanation.verdict
    category = explanation.evaluation?.category
    openAppeals = explanation.openAppeals
    isPublished = explanation.listing != nil
    reports = explanation.score?.parts.reduce(0) { $0 + $1.reports } ?? 0
  }

  /// The value of a form field.
  public var text: String {
    [
      decision?.uuidString.lowercased() ?? "none", verdict.rawValue, "\(category?.rawValue ?? 0)", "\(openAppeals)",
      isPublished ? "1" : "0", "\(reports)",
    ].joined(separator: ".")
  }

  /// - Parameter text: the value of a form field; nil for a text that ``text`` has not written.
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

  /// The changes since this state was seen, in the order of ``Change``; empty while the page is current.
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
