/// What one imported list says of a number.
public struct SourceTally: Sendable, Equatable {
  /// The list, as an app without a key.
  public var appID: Int32
  /// Rows that complain of it and were not withdrawn.
  public var complaints: Int
  /// On which days.
  public var days: ComplaintDays

  /// - Parameters: see the properties.
  public init(appID: Int32, complaints: Int, days: ComplaintDays) {
    self.appID = appID
    self.complaints = complaints
    self.days = days
  }
}
