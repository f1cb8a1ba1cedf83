// SPDX-License-Identifier: Apache-2.0

import Intake
import Synchronization
import Testing

@Suite struct GroupCommitTests {
  private struct BadItem: Error {}

  /// The batches of the commits, and a gate that blocks them.
  private final class Ledger: Sendable {
    let batches = Mutex<[[Int]]>([])
    private let gate = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((true, []))

    func shut() { gate.withLock { $0.isOpen = false } }

    func open() {
      let waiting = gate.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }

    func commit(_ items: [Int]) async throws -> [Int] {
      batches.withLock { $0.append(items) }
      await withCheckedContinuation { continuation in
        let isOpen = gate.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
      if items.contains(13) { throw BadItem() }
      return items.map { $0 * 10 }
    }
  }

  private func withCommits(
    _ ledger: Ledger, capacity: Int = 100, batchSize: Int = 10,
    _ body: (GroupCommit<Int, Int>) async throws -> Void
  ) async throws {
    let commits = GroupCommit<Int, Int>(
      capacity: capacity, batchSize: batchSize, patience: .seconds(600), isolates: { $0 is BadItem },
      commit: { try await ledger.commit($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await commits.run() }
      try await body(commits)
      commits.close()
      try await group.waitForAll()
    }
  }

  private func wait(sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < deadline {
      if condition() { return }
      try? await Task.sleep(for: .milliseconds(1))
    }
    // Not thrown: the items that wait at the gate would never be answered.
    Issue.record("The condition did not hold in time.", sourceLocation: sourceLocation)
  }

  /// A stopped database does not answer. Submitted items may still be committed in the end.
  @Test func `a commit without an answer times out`() async throws {
    let ledger = Ledger()
    ledger.shut()
    let stalls = Mutex<[Duration]>([])
    let commits = GroupCommit<Int, Int>(
      capacity: 100, batchSize: 1, patience: .seconds(600), stallLimit: .seconds(3), isolates: { _ in false },
      stalled: { duration in stalls.withLock { $0.append(duration) } }, commit: { try await ledger.commit($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await commits.run() }
      let one = Mutex<GroupCommit<Int, Int>.Answer?>(nil)
      try commits.submit(1) { answer in one.withLock { $0 = answer } }
      await wait { ledger.batches.withLock { $0.count == 1 } }
      // One item waits for the commit, the other for the next one.
      await #expect(throws: IntakeError.stalled) { try await commits.submit([2]) }
      await wait { one.withLock { $0 != nil } }
      #expect(throws: IntakeError.stalled) { try one.withLock { $0 }?.get() }
      #expect(commits.depth == 0 && commits.isFailing(within: .seconds(600)))
      #expect(throws: IntakeError.stalled) { try commits.submit(3) { _ in Issue.record("refused and answered") } }
      // Told again after each further limit.
      await wait { stalls.withLock { $0.count == 2 && $0[0] >= .seconds(3) && $0[1] >= .seconds(6) } }
      ledger.open()
      await wait { !commits.isFailing(within: .seconds(600)) }
      #expect(try await commits.submit([4]) == [40])
      #expect(ledger.batches.withLock { $0 } == [[1], [4]])
      commits.close()
      try await group.waitForAll()
    }
  }

  @Test func `a failure of the database is reported until the next commit`() async throws {
    struct Full: Error {}
    let isFull = Mutex(true)
    let commits = GroupCommit<Int, Int>(
      capacity: 100, batchSize: 10, isolates: { $0 is BadItem },
      commit: { items in
        if items.contains(13) { throw BadItem() }
        if isFull.withLock({ $0 }) { throw Full() }
        return items
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await commits.run() }
      await #expect(throws: BadItem.self) { try await commits.submit([13]) }
      await #expect(throws: Full.self) { try await commits.submit([1]) }
      #expect(commits.isFailing(within: .seconds(600)) && !commits.isFailing(within: .zero))
      isFull.withLock { $0 = false }
      _ = try await commits.submit([2])
      commits.close()
      try await group.waitForAll()
    }
  }

  @Test func `a single item is committed immediately`() async throws {
    let ledger = Ledger()
    try await withCommits(ledger) { commits async throws in
      #expect(try await commits.submit([4]) == [40])
    }
    #expect(ledger.batches.withLock { $0 } == [[4]])
  }

  @Test func `items that arrive during a commit form the next batch`() async throws {
    let ledger = Ledger()
    ledger.shut()
    try await withCommits(ledger, batchSize: 5) { commits async throws in
      async let first = commits.submit([0])
      await wait { ledger.batches.withLock { $0.count } == 1 }
      let rest = Task {
        try await withThrowingTaskGroup(of: Int.self) { group in
          for item in 1...7 { group.addTask { try await commits.submit([item])[0] } }
          return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
      }
      await wait { commits.depth == 7 }
      ledger.open()
      #expect(try await first == [0])
      #expect(try await rest.value == (1...7).map { $0 * 10 })
    }
    #expect(ledger.batches.withLock { $0.map(\.count) } == [1, 5, 2])
  }

  @Test func `a full queue refuses a request without taking any item`() async throws {
    let ledger = Ledger()
    ledger.shut()
    try await withCommits(ledger, capacity: 3) { commits async throws in
      async let first = commits.submit([0])
      await wait { ledger.batches.withLock { $0.count } == 1 }
      async let second = commits.submit([1, 2])
      await wait { commits.depth == 2 }
      await #expect(throws: IntakeError.full) { try await commits.submit([3, 4]) }
      ledger.open()
      _ = try await (first, second)
    }
    #expect(ledger.batches.withLock { $0.flatMap { $0 } }.sorted() == [0, 1, 2])
  }

  @Test func `callers outside tasks get their answers in order`() async throws {
    let ledger = Ledger()
    ledger.shut()
    let answers = Mutex<[Int: Int?]>([:])
    try await withCommits(ledger, capacity: 8, batchSize: 50) { commits async throws in
      async let first = commits.submit([0])
      await wait { ledger.batches.withLock { $0.count } == 1 }
      async let many = commits.submitEach([20, 21, 22])
      await wait { commits.depth == 3 }
      for item in [12, 13, 14] {
        try commits.submit(item) { answer in answers.withLock { $0[item] = .some(try? answer.get()) } }
      }
      async let more = commits.submitEach([23, 24])
      await wait { commits.depth == 8 }
      #expect(throws: IntakeError.full) { try commits.submit(15) { _ in Issue.record("refused and answered") } }
      ledger.open()
      _ = try await first
      #expect(try await many.map { try $0.get() } == [200, 210, 220])
      #expect(try await more.map { try $0.get() } == [230, 240])
    }
    #expect(answers.withLock { $0 } == [12: 120, 13: nil, 14: 140])
  }

  @Test func `one bad item of a batch fails alone`() async throws {
    let ledger = Ledger()
    ledger.shut()
    try await withCommits(ledger, batchSize: 50) { commits async throws in
      async let first = commits.submit([0])
      await wait { ledger.batches.withLock { $0.count } == 1 }
      let results = Task {
        await withTaskGroup(of: (Int, Bool).self) { group in
          for item in 10...17 {
            group.addTask { (item, (try? await commits.submit([item])) != nil) }
          }
          return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
      }
      await wait { commits.depth == 8 }
      ledger.open()
      _ = try await first
      #expect(await results.value.filter { !$0.value }.map(\.key) == [13])
    }
  }

  @Test func `one bad item of a group fails alone`() async throws {
    let ledger = Ledger()
    try await withCommits(ledger) { commits async throws in
      let answers = try await commits.submitEach([11, 12, 13, 14])
      #expect(answers.map { try? $0.get() } == [110, 120, nil, 140])
      await #expect(throws: BadItem.self) { try await commits.submit([11, 13]) }
    }
  }

  @Test func `cancelling the writer closes it`() async throws {
    let commits = GroupCommit<Int, Int>(capacity: 10, batchSize: 10, isolates: { _ in false }, commit: { $0 })
    let running = Task { await commits.run() }
    #expect(try await commits.submit([1]) == [1])
    running.cancel()
    await running.value
    await #expect(throws: IntakeError.closed) { try await commits.submit([2]) }
  }

  @Test func `closing completes accepted items and refuses new ones`() async throws {
    let ledger = Ledger()
    ledger.shut()
    let commits = GroupCommit<Int, Int>(
      capacity: 10, batchSize: 10, isolates: { _ in false }, commit: { try await ledger.commit($0) })
    async let running: Void = commits.run()
    async let taken = commits.submit([1])
    await wait { ledger.batches.withLock { $0.count } == 1 }
    async let waiting = commits.submit([2])
    await wait { commits.depth == 1 }
    commits.close()
    await #expect(throws: IntakeError.closed) { try await commits.submit([3]) }
    ledger.open()
    #expect(try await taken == [10])
    #expect(try await waiting == [20])
    await running
  }

  @Test func `a batch has whole callers up to its size, and the queue its capacity`() async throws {
    let ledger = Ledger()
    ledger.shut()
    try await withCommits(ledger, capacity: 21, batchSize: 10) { commits in
      let answers = Mutex<[Int]>([])
      func submit(_ item: Int) throws {
        try commits.submit(item) { answer in answers.withLock { $0.append((try? answer.get()) ?? -1) } }
      }
      try submit(1)
      await wait { ledger.batches.withLock { $0.count == 1 } }
      // Six and four fit into a batch, five and six do not, and none is full before the last.
      let tasks = [[2, 3, 4, 5, 6, 7], [8, 9, 10, 11], [20, 21, 22, 23, 24]].map { items in
        (items, Task { try await commits.submit(items) })
      }
      await wait { commits.depth == 15 }
      for item in 30..<36 { try submit(item) }
      #expect(throws: IntakeError.full) { try submit(36) }
      ledger.open()
      for (items, task) in tasks { #expect(try await task.value == items.map { $0 * 10 }) }
      await wait { answers.withLock { $0.count == 7 } }
      #expect(answers.withLock { $0.sorted() } == [10, 300, 310, 320, 330, 340, 350])
    }
    let sizes = ledger.batches.withLock { $0.map(\.count) }
    #expect(sizes.reduce(0, +) == 22 && sizes.allSatisfy { $0 <= 10 } && sizes.count <= 4)
  }
}
