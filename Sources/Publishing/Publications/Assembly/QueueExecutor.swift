import Dispatch

/// Runs an actor on a thread of Dispatch's: work of many seconds without a pause must not hold one of the few threads that
/// requests are answered on.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
