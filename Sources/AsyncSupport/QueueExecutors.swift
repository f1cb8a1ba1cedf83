// SPDX-License-Identifier: Apache-2.0

package import Dispatch

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

  /// - Parameter qos: the priority of the queue's threads.
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
  /// - Throws: the errors of `work`.
  package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      self.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}
