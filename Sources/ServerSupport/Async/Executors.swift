// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// Runs an actor on a dedicated thread, where it may block.
///
/// The thread keeps the executor alive until ``stop(_:)``, which the actor calls in its `deinit`. The thread never
/// changes during the actor's lifetime: a parent-death signal is tied to the thread that started the child.
package final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  // Unchecked: the variables are accessed under the lock only.
  private let lock = ConditionLock()
  private var jobs: [UnownedJob] = []
  private var isStopped = false
  private var lastAct: (@Sendable () -> Void)?

  package init() {
    startThread { self.work() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.withLock {
      jobs.append(job)
      lock.signal()
    }
  }

  /// Ends the thread after the queued jobs.
  /// - Parameter lastAct: runs on the thread before it ends.
  package func stop(_ lastAct: @escaping @Sendable () -> Void = {}) {
    lock.withLock {
      isStopped = true
      self.lastAct = lastAct
      lock.signal()
    }
  }

  private func work() {
    var batch: [UnownedJob] = []
    while true {
      let isDone = lock.withLock {
        while jobs.isEmpty && !isStopped { lock.wait() }
        swap(&jobs, &batch)
        return batch.isEmpty
      }
      if isDone { break }
      for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
      batch.removeAll(keepingCapacity: true)
    }
    lastAct?()
  }
}

/// Runs an actor on a serial queue: seconds of uninterrupted work must not occupy a thread of the cooperative pool.
package final class SerialQueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// Runs tasks on a concurrent queue, for work that keeps a core busy for seconds.
package final class ConcurrentQueueExecutor: TaskExecutor {
  private let queue: DispatchQueue

  package init(label: String, qos: DispatchQoS = .unspecified) {
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension DispatchQueue {
  /// Runs blocking work on this queue, and waits for its end.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      self.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
