package import Foundation

/// What limits tell the time by; tests bring their own.
package struct LimitClock: Sendable {
  /// Nanoseconds since some moment; never falls.
  package let monotonic: @Sendable () -> UInt64
  /// The time of day, for limits of a day.
  package let wall: @Sendable () -> Date

  /// - Parameters: see the properties.
  package init(monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Date) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The machine's own.
  package static let system = LimitClock(monotonic: { DispatchTime.now().uptimeNanoseconds }, wall: { Date() })
}
