// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Intake

@Suite struct CommitPaceTests {
  private let start = ContinuousClock.now

  @Test func `predicts a wait from the duration of earlier commits`() {
    var pace = CommitPace()
    #expect(pace.wait(behind: 10, at: start) == .zero)
    pace.begin(at: start)
    pace.end(at: start + .seconds(1))
    #expect(pace.wait(behind: 5, at: start + .seconds(1)) == .seconds(5))
    // A slow commit decays step by step, and one in progress counts for its duration.
    for _ in 0..<3 {
      pace.begin(at: start)
      pace.end(at: start)
    }
    let wait = pace.wait(behind: 10, at: start)
    #expect(wait > .seconds(5) && wait < .seconds(5.2))
    pace.begin(at: start)
    #expect(pace.wait(behind: 1, at: start + .seconds(30)) == .seconds(30))
  }

  /// Commits of one item do not limit large ones.
  @Test func `small commits do not keep large batches out`() {
    var pace = CommitPace()
    for _ in 0..<60 {
      pace.begin(at: start)
      pace.end(at: start + .milliseconds(20))
    }
    #expect(pace.wait(behind: 8, at: start) < .seconds(1))
  }

  /// An item that would have to wait too long is refused before a commit has ended; what fits into the next batch is
  /// accepted.
  @Test func `a slow queue refuses items before they wait too long`() async throws {
    let gate = AsyncStream<Void>.makeStream()
    let began = AsyncStream<Void>.makeStream()
    let commits = GroupCommit<Int, Int>(
      capacity: 1_000, batchSize: 10, patience: .zero, isolates: { _ in false },
      commit: { items in
        began.continuation.yield()
        for await _ in gate.stream { break }
        return items
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await commits.run() }
      async let first = commits.submit([1])
      for await _ in began.stream { break }
      async let second = commits.submit(Array(0..<10))
      while commits.depth < 10 { await Task.yield() }
      await #expect(throws: IntakeError.full) { _ = try await commits.submit([2]) }
      gate.continuation.finish()
      #expect(try await first == [1])
      #expect(try await second.count == 10)
      commits.close()
      try await group.waitForAll()
    }
  }
}
