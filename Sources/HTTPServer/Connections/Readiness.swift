import Synchronization

/// Whether the server wants requests; told first when it is to stop.
package final class Readiness: Sendable {
  private let stopping = Atomic(false)

  /// Green.
  package init() {}

  /// Turns `/readyz` red and lets connections go with their next answer. Requests are still answered.
  package func stop() { stopping.store(true, ordering: .releasing) }

  /// Whether ``stop()`` has been called.
  package var isStopping: Bool { stopping.load(ordering: .acquiring) }
}
