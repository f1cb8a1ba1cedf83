// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The clock and the random numbers of a client. Tests replace them.
public struct ClientEnvironment: Sendable {
  /// Returns the current time.
  public var now: @Sendable () -> Date
  /// Waits for a number of seconds; ends early when its task is cancelled.
  public var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// Returns a random number from 0 to 1.
  public var chance: @Sendable () -> Double

  /// Creates an environment, by default the system's.
  /// - Parameters:
  ///   - now: returns the current time.
  ///   - sleep: waits for a number of seconds.
  ///   - chance: returns a random number from 0 to 1.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = {
      try await Task.sleep(nanoseconds: UInt64(max(0, min($0, 1e9)) * 1e9))
    },
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.now = now
    self.sleep = sleep
    self.chance = chance
  }
}
