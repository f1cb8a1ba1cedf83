// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Testing

/// Work that goes on when a test says so.
private actor Work {
  private(set) var begun: [Int] = []
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func run(_ number: Int) async {
    begun.append(number)
    await withCheckedContinuation { waiting.append($0) }
  }

  func endAll() {
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// Waits for up to a minute.
private func waitUntil(_ condition: () async -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while await !condition() {
    try #require(ContinuousClock.now < deadline)
    await Task.yield()
  }
}

@Suite struct AccountTurnsTests {
  @Test func `two requests of an account are worked on at a time, and others wait in their order`() async throws {
    let (turns, work) = (AccountTurns<Int32>(most: 2, mostWaiting: 50), Work())
    func start(_ number: Int, of account: Int32 = 1) async throws -> Task<Void, any Error> {
      let waiting = turns.waiting(of: account)
      let task = Task { try await turns.take(account) { await work.run(number) } }
      try await waitUntil { await work.begun.contains(number) || turns.waiting(of: account) > waiting }
      return task
    }
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<4 { tasks.append(try await start(number)) }
    let other = try await start(10, of: 2)
    #expect(await work.begun == [0, 1, 10])
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    for number in 4..<turns.mostWaiting + 3 { tasks.append(try await start(number)) }
    await #expect(throws: Problem.self) { try await turns.take(1) {} }
    await work.endAll()
    try await waitUntil { await work.begun.count == 5 }
    #expect(await work.begun == [0, 1, 10, 3, 4])
    for task in tasks + [other] { task.cancel() }
    await work.endAll()
    for task in tasks + [other] { _ = await task.result }
    try await turns.take(1) {}
  }
}
