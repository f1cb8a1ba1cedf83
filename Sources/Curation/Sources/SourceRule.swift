/// What an imported list counts for.
///
/// A list's rows have no reporters and come from no network. In their place stand the list's own thresholds: so many rows
/// on so many days are enough, together with the category's heat, evidence and confidence.
public struct SourceRule: Sendable, Equatable, Codable {
  /// What a list must say of a number.
  public struct Bar: Sendable, Equatable, Codable {
    /// Least complaints, 1 or more.
    public var complaints: Int
    /// Least distinct days, 1 to 64.
    public var days: Int

    /// - Parameters: see the properties.
    public init(complaints: Int, days: Int) {
      self.complaints = complaints
      self.days = days
    }
  }

  /// The app of every list that has no rule of its own.
  public static let everyList: Int32 = 0

  /// The list, as an app without a key; ``everyList`` for all others.
  public var appID: Int32
  /// What one row weighs, 0 to 10; rows that are there keep the weight they came with. With 0 a list lists nothing.
  public var weight: Double
  /// What a number needs that is not listed.
  public var enter: Bar
  /// What a number needs to stay listed: nowhere more than ``enter``.
  public var leave: Bar

  /// - Parameters: see the properties.
  public init(appID: Int32, weight: Double, enter: Bar, leave: Bar) {
    self.appID = appID
    self.weight = weight
    self.enter = enter
    self.leave = leave
  }

  /// What a number needs.
  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> Bar { listed ? leave : enter }
}
