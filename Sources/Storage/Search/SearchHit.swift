// SPDX-License-Identifier: Apache-2.0

public import Curation
public import Foundation

/// A number in a list of numbers.
public struct SearchHit: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that are not withdrawn.
  public var reports: Int64
  /// When it was last reported; nil for a number without reports.
  public var lastReportedAt: Date?
  /// The category in the newest publication; nil where it is not listed.
  public var listedAs: ReportCategory?
  /// Whether that publication blocks it.
  public var isBlocked: Bool
  /// The decision in force; nil for none.
  public var decision: Decision.Treatment?
  /// The decision's label.
  public var label: String?
  /// Whether it is held.
  public var isHeld: Bool
  /// Whether an appeal is open.
  public var hasAppeal: Bool
  /// Its name in the directory with precedence; nil where none has one.
  public var directoryName: String?
}
