import Synchronization

/// A number of things that there are just now.
public final class Level: Sendable {
  private let level = Atomic<Int>(0)

  /// Zero.
  public init() {}

  /// One more.
  public func rise() { level.wrappingAdd(1, ordering: .relaxed) }

  /// One less.
  public func fall() { level.wrappingSubtract(1, ordering: .relaxed) }

  /// How many there are.
  public var value: Int { level.load(ordering: .relaxed) }
}
