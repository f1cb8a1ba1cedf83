// SPDX-License-Identifier: Apache-2.0

/// The weight and limits of an imported list.
///
/// A list's rows have no reporters and no networks. The list's own limits replace these: enough rows on enough days are
/// sufficient, together with the category's heat, evidence and confidence.
public struct SourceRule: Sendable, Equatable, Codable {
  /// The limits for a list's rows about a number.
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

  /// The id of the rule for lists without their own rule.
  public static let everyList: Int32 = 0
  /// The name of this rule, which no list has.
  public static let everyListName = "default"

  /// The list's id in `apps`; ``everyList`` for all others.
  public var appID: Int32
  /// The weight of one row, 0 to 10; stored rows keep their weight. With 0 the list lists nothing.
  public var weight: Double
  /// The limits for a number that is not listed.
  public var enter: Bar
  /// The limits for a listed number to stay listed; none is above ``enter``.
  public var leave: Bar

  /// - Parameters: see the properties.
  public init(appID: Int32, weight: Double, enter: Bar, leave: Bar) {
    self.appID = appID
    self.weight = weight
    self.enter = enter
    self.leave = leave
  }

  /// The limits that apply to a number.
  /// - Parameter listed: whether the last publication lists it.
  public func bar(listed: Bool) -> Bar { listed ? leave : enter }
}
