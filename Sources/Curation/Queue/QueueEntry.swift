// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A case to be written to the queue.
public struct QueueEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// The causes; not empty.
  public var causes: QueueCauses
  /// The urgency; smaller is more urgent; see ``Urgency``.
  public var urgency: Int64
  /// The category of the evaluation; nil without complaints.
  public var category: ReportCategory?
  /// When the case was opened.
  public var since: Date

  /// - Returns: nil when the number has no cause.
  public init?(number: Int64, facts: QueueFacts) {
    let causes = QueueRule.causes(facts)
    guard !causes.isEmpty else { return nil }
    self.number = number
    self.causes = causes
    urgency = Urgency.of(facts, causes: causes)
    category = facts.evaluation?.category
    since = facts.since
  }
}
