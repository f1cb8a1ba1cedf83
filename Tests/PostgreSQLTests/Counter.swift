// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter that tasks share.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .sequentiallyConsistent) }
  @discardableResult
  func add(_ amount: Int) -> Int { number.add(amount, ordering: .sequentiallyConsistent).newValue }
  func raise(to other: Int) { number.max(other, ordering: .sequentiallyConsistent) }
}

/// A gate that opens once.
final class Gate: Sendable {
  private let isOpen = Atomic<Bool>(false)
  func open() { isOpen.store(true, ordering: .releasing) }
  func pass() async throws { try await wait { self.isOpen.load(ordering: .acquiring) } }
}
