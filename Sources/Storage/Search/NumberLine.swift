public import Curation
public import Foundation

/// What a line of a list says of a number.
public struct NumberLine: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that stand.
  public var reports: Int64
  /// When it was last reported; nil where it never was.
  public var lastReportedAt: Date?
  /// What the newest publication lists it as; nil where it does not.
  public var listedAs: ReportCategory?
  /// Whether that publication may block it.
  public var isBlocked: Bool
  /// What stands about it; nil where no decision does.
  public var decision: Decision.Treatment?
  /// The decision's label.
  public var label: String?
  /// Whether it is kept back for a moderator.
  public var isHeld: Bool
  /// Whether an appeal waits.
  public var hasAppeal: Bool
}
