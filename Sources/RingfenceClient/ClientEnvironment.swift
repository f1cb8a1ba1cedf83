public import Foundation

/// Time and chance, which tests replace.
public struct ClientEnvironment: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Date
  /// Waits; ends early when its task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// 0 to 1.
  public var chance: @Sendable () -> Double

  /// - Parameters: see the properties.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
  ) {
    self.now = now
    self.sleep = sleep
    self.chance = chance
  }
}
