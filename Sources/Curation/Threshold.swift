public import Foundation

/// What a number must have against it before it is listed under a category.
public struct Threshold: Sendable, Equatable {
  /// The toxic category it is for.
  public var category: ReportCategory
  /// Least decayed heat, in fresh complaints: 3 means three today, or six a fortnight ago.
  public var heat: Double
  /// Least confidence, 0 to 1; see ``Confidence``.
  public var confidence: Double
  /// Heat from which a moderator should look, at most ``heat``.
  public var reviewHeat: Double

  /// - Parameters: see the properties.
  public init(category: ReportCategory, heat: Double, confidence: Double, reviewHeat: Double) {
    self.category = category
    self.heat = heat
    self.confidence = confidence
    self.reviewHeat = reviewHeat
  }

  /// Whether a number of this standing is listed at `time`.
  public func lists(_ standing: Standing, at time: Date) -> Bool {
    standing.heat >= heat * Decay.heat.scale(at: time) && standing.confidence(at: time) >= confidence
  }
}
