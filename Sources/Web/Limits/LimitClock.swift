public import Foundation

/// What limits tell the time by; tests bring their own.
public struct LimitClock: Sendable {
  /// Nanoseconds since some moment; never falls.
  public let monotonic: @Sendable () -> UInt64
  /// The time of day, for limits of a day.
  public let wall: @Sendable () -> Date

  /// - Parameters: see the properties.
  public init(monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Date) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The machine's own.
  public static let system = LimitClock(monotonic: { DispatchTime.now().uptimeNanoseconds }, wall: { Date() })
}
