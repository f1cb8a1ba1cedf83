import Synchronization

/// Whether the server wants requests; told first when it is to stop.
public final class Readiness: Sendable {
  private let stopping = Atomic(false)

  /// Green.
  public init() {}

  /// Turns `/readyz` red and lets connections go with their next answer. Requests are still answered.
  public func stop() { stopping.store(true, ordering: .releasing) }

  /// Whether ``stop()`` has been called.
  public var isStopping: Bool { stopping.load(ordering: .acquiring) }
}
