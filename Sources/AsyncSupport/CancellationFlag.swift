import Synchronization

/// A flag that is set once and that every thread sees; for work that blocks outside tasks.
package final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .relaxed) }

  package func set() { value.store(true, ordering: .relaxed) }
}
