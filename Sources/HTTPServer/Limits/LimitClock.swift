// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The clocks of rate limits; tests replace them.
package struct LimitClock: Sendable {
  /// Nanoseconds since an arbitrary start; never decreases.
  package let monotonic: @Sendable () -> UInt64
  /// The time of day, for limits of a day.
  package let wall: @Sendable () -> Date

  /// - Parameters: see the properties.
  package init(monotonic: @escaping @Sendable () -> UInt64, wall: @escaping @Sendable () -> Date) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The system's clocks.
  package static let system = LimitClock(monotonic: { DispatchTime.now().uptimeNanoseconds }, wall: { Date() })
}
