import Foundation
import Synchronization

/// Runs an actor on a thread of its own, so that blocking there blocks nobody else.
///
/// The thread ends with the executor. A parent-death signal is tied to the thread that made the child, so the actor
/// that starts the postmaster keeps this thread as long as the postmaster runs.
final class ThreadExecutor: SerialExecutor {
  /// The queue. A condition of Foundation guards it, because the thread sanitizer does not see Swift's own Mutex.
  private final class Jobs: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var queue: [UnownedJob] = []
    nonisolated(unsafe) private var isFinished = false

    func append(_ job: UnownedJob) {
      condition.withLock { queue.append(job) }
      condition.signal()
    }

    func finish() {
      condition.withLock { isFinished = true }
      condition.signal()
    }

    /// The next job, waiting for it; nil when there will be none.
    func next() -> UnownedJob? {
      condition.withLock {
        while queue.isEmpty, !isFinished { condition.wait() }
        return queue.isEmpty ? nil : queue.removeFirst()
      }
    }
  }

  private let jobs = Jobs()

  /// Starts the thread.
  init(name: String) {
    let jobs = jobs
    let executor = UnownedExecutor()
    let thread = Thread {
      while let job = jobs.next() { job.runSynchronously(on: executor.value!) }
    }
    executor.value = asUnownedSerialExecutor()
    thread.name = name
    thread.start()
  }

  deinit { jobs.finish() }

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }
}

/// Hands the executor to its thread without keeping it alive.
private final class UnownedExecutor: Sendable {
  private let box = Mutex<UnownedSerialExecutor?>(nil)
  var value: UnownedSerialExecutor? {
    get { box.withLock { $0 } }
    set { box.withLock { $0 = newValue } }
  }
}
