public import Foundation

/// A number that waits, as it is put into the queue.
public struct QueueEntry: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Why; not empty.
  public var causes: QueueCauses
  /// Ascending; see ``Urgency``.
  public var urgency: Int64
  /// The hottest toxic category; nil when nobody complains.
  public var category: ReportCategory?
  /// Since when.
  public var since: Date

  /// - Returns: nil when the number does not wait.
  public init?(number: Int64, facts: QueueFacts) {
    let causes = QueueRule.causes(facts)
    guard !causes.isEmpty else { return nil }
    self.number = number
    self.causes = causes
    urgency = Urgency.of(facts, causes: causes)
    category = facts.score?.leading
    since = facts.since
  }
}
