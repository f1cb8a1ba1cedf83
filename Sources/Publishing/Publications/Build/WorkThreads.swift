import Dispatch

/// Threads for work that keeps a core busy for seconds, so that in a server the answers to requests do not wait for it.
final class WorkThreads: TaskExecutor {
  static let shared = WorkThreads()

  private let queue = DispatchQueue(label: "ringfence.publishing", qos: .utility, attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
