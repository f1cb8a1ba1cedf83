/// From what on a number is listed under a category, and from what on it is dropped again.
///
/// The two differ (hysteresis), so that a number at the edge does not flicker between nights.
public struct Threshold: Sendable, Equatable, Codable {
  /// The toxic category it is for: the number's leading one decides.
  public var category: ReportCategory
  /// ISO 3166 alpha-2 of the numbers it is for; nil: of all countries without one of their own.
  public var country: String?
  /// What a number needs that is not listed.
  public var enter: ThresholdLimits
  /// What a number needs to stay listed: nowhere more than ``enter``.
  public var leave: ThresholdLimits
  /// Heat from which a moderator should look, above 0 and at most ``enter``'s.
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

  /// What a number needs.
  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> ThresholdLimits { listed ? leave : enter }
}
