import Synchronization

/// A count that only rises; adding costs one atomic addition.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  /// Zero.
  public init() {}

  /// Adds to the count.
  /// - Parameter amount: at least 0.
  public func add(_ amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

  /// The count now.
  public var value: Int { count.load(ordering: .relaxed) }
}
