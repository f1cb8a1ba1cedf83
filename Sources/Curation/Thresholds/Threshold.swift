// SPDX-License-Identifier: Apache-2.0

/// The limits from which a number is listed under a category, and below which it is removed again.
///
/// The two differ (hysteresis), so that a number near the limit does not alternate between publications.
public struct Threshold: Sendable, Equatable, Codable {
  /// The toxic category that it applies to: a number's leading one.
  public var category: ReportCategory
  /// ISO 3166 alpha-2 of the numbers that it applies to; nil for all countries without their own threshold.
  public var country: String?
  /// The limits for a number that is not listed.
  public var enter: ThresholdLimits
  /// The limits for a listed number to stay listed; none is above ``enter``.
  public var leave: ThresholdLimits
  /// The least heat for a moderator's review, above 0 and at most ``enter``'s.
  public var reviewHeat: Double

  /// - Parameters: see the properties.
  public init(
    category: ReportCategory, country: String? = nil, enter: ThresholdLimits, leave: ThresholdLimits, reviewHeat: Double
  ) {
    self.category = category
    self.country = country
    self.enter = enter
    self.leave = leave
    self.reviewHeat = reviewHeat
  }

  /// The limits that apply to a number.
  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> ThresholdLimits { listed ? leave : enter }
}
