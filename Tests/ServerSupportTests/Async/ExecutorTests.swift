// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ServerSupport

@Suite struct ExecutorTests {
  /// An actor that names the thread it runs on.
  private actor Threaded {
    let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var count = 0
    private let end: @Sendable (pthread_t) -> Void

    init(end: @escaping @Sendable (pthread_t) -> Void) {
      executor = ThreadExecutor()
      self.end = end
    }

    deinit { executor.stop { [end] in end(pthread_self()) } }

    func thread() -> pthread_t { pthread_self() }

    func countUp() -> Int {
      count += 1
      return count
    }
  }

  private actor Queued {
    private let executor = SerialQueueExecutor(label: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var count = 0

    func countUp() -> Int {
      count += 1
      return count
    }
  }

  private struct Failed: Error {}

  @Test func `an actor keeps its thread and runs its last action on it`() async throws {
    let ends = AsyncStream<pthread_t>.makeStream()
    var actor: Threaded? = Threaded { ends.continuation.yield($0) }
    let thread = try #require(await actor?.thread())
    for _ in 0..<100 { #expect(await actor?.thread() == thread) }
    actor = nil
    var end = ends.stream.makeAsyncIterator()
    #expect(await end.next() == thread)
  }

  @Test func `jobs of many tasks run one after another`() async {
    let (threaded, queued) = (Threaded { _ in }, Queued())
    let counts = await withTaskGroup(of: (Int, Int).self) { group in
      for _ in 0..<200 { group.addTask { (await threaded.countUp(), await queued.countUp()) } }
      return await group.reduce(into: (Set<Int>(), Set<Int>())) {
        $0.0.insert($1.0)
        $0.1.insert($1.1)
      }
    }
    #expect(counts.0 == Set(1...200) && counts.1 == Set(1...200))
  }

  @Test func `tasks run with the concurrent queue as their preferred executor`() async {
    let executor = ConcurrentQueueExecutor(label: "test")
    let sum = await withTaskExecutorPreference(executor) {
      await withTaskGroup(of: Int.self) { group in
        for value in 1...100 { group.addTask { value } }
        return await group.reduce(0, +)
      }
    }
    #expect(sum == 5_050)
  }

  @Test func `blocking work runs on its own thread and throws its error`() async throws {
    let actor = Threaded { _ in }
    #expect(try await runOnThread { pthread_self() } != actor.thread())
    await #expect(throws: Failed.self) { try await runOnThread { throw Failed() } }
  }

  @Test func `blocking work runs on a queue and throws its error`() async throws {
    let queue = DispatchQueue(label: "test")
    #expect(try await queue.run { 7 } == 7)
    await #expect(throws: Failed.self) { try await queue.run { throw Failed() } }
  }
}

@Suite struct LazyValueTests {
  @Test func `only the first task makes the lazy value`() async {
    let value = LazyValue<UUID>()
    #expect(value.value == nil)
    let made = await withTaskGroup(of: UUID.self) { group in
      for _ in 0..<50 { group.addTask { value.makeIfNeeded { UUID() } } }
      return await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(made.count == 1 && made.first == value.value)
  }

  @Test func `a cancellation flag stays set`() {
    let flag = CancellationFlag()
    #expect(!flag.isSet)
    flag.set()
    #expect(flag.isSet)
  }
}
