// SPDX-License-Identifier: Apache-2.0

public import Curation

/// A number of a range, with the data that decides whether approving the range publishes it.
public struct RangeMember: Sendable, Equatable {
  /// E.164 digits.
  public var number: Int64
  /// Reports that are not withdrawn; 0 for a number without reports.
  public var reports: Int64
  /// Decayed heat.
  public var heat: Double
  /// Whether the newest publication lists it.
  public var isListed: Bool
  /// The decision in force; a decided number is not published by its range.
  public var decision: Decision.Treatment?
  /// Whether it is held.
  public var isHeld: Bool
  /// The reason of its protection; nil where it is not protected.
  public var protection: ProtectionReason?

  /// Whether approving its range puts it into the next publication.
  public var isPublishedByRange: Bool { decision == nil && !isHeld && protection == nil }
}
