// SPDX-License-Identifier: Apache-2.0

/// The way from an empty installation to its first list: the steps that are done, and why nothing is listed.
public struct FirstSteps: Sendable, Equatable {
  /// A step, in the order in which they are shown.
  public enum Step: String, Sendable, CaseIterable {
    case protection
    case source
    case app
    /// A report of an app is stored.
    case report
    case publication
    /// A second moderator has signed in.
    case moderator
  }

  public var done: Set<Step>
  /// Entries of the newest publication.
  public var entries: Int64
  /// Held numbers by the code of their hold.
  public var held: [String: Int64]
  /// Cases in the queue that are not held.
  public var cases: Int64
  /// The name of a source that is being read or stored; nil where there is none.
  public var unreadSource: String?
  /// The name of a source that was never read because it fails; nil where there is none.
  public var failedSource: String?
  /// Whether there is a source, read or not.
  public var hasSource = false

  public init(
    done: Set<Step> = [], entries: Int64 = 0, held: [String: Int64] = [:], cases: Int64 = 0,
    unreadSource: String? = nil,
    failedSource: String? = nil
  ) {
    self.done = done
    self.failedSource = failedSource
    self.unreadSource = unreadSource
    self.entries = entries
    self.held = held
    self.cases = cases
  }

  public var isUnfinished: Bool { done.count < Step.allCases.count }

  public var reasons: [EmptyListReason] {
    guard entries == 0 else { return [] }
    var reasons: [EmptyListReason] = []
    if let unreadSource {
      // Its numbers may be all that the operator waits for.
      reasons.append(.sourceUnread(source: unreadSource))
    } else {
      if let failedSource {
        reasons.append(.sourceFailed(source: failedSource))
      } else if !done.contains(.source), !hasSource {
        reasons.append(.noSource)
      }
      if !done.contains(.app) { reasons.append(.noApp) }
      if !done.contains(.report) { reasons.append(.noReport) }
    }
    let new = held[HoldReason.Code.newReporters.name] ?? 0
    let other = held.values.reduce(0, +) - new
    if new > 0 { reasons.append(.newReporters(count: new)) }
    if other > 0 { reasons.append(.held(count: other)) }
    if cases > 0 { reasons.append(.waiting(count: cases)) }
    return reasons.isEmpty ? [.belowThresholds] : reasons
  }
}

/// A reason why no number is listed.
public enum EmptyListReason: CodedData {
  public enum CodingKeys: MessageCode {
    case sourceUnread, sourceFailed, noSource, noApp, noReport, newReporters, held, waiting, belowThresholds
  }

  /// A source is being read or stored.
  case sourceUnread(source: String)
  /// A source fails, and was never read.
  case sourceFailed(source: String)
  case noSource
  case noApp
  case noReport
  /// Numbers that wait for a moderator because their reporters are new.
  case newReporters(count: Int64)
  /// Numbers that another rule against brigading holds for a moderator.
  case held(count: Int64)
  /// Other numbers that wait for a moderator.
  case waiting(count: Int64)
  /// Nothing is missing, and no number meets its threshold.
  case belowThresholds

  /// The cause of the cases that wait for this reason; nil for none.
  public var cause: QueueCause? {
    switch self {
    case .newReporters, .held: .held
    case .waiting: .threshold
    case .sourceUnread, .sourceFailed, .noSource, .noApp, .noReport, .belowThresholds: nil
    }
  }
}
