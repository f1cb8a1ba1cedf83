import Dispatch

/// Runs an actor on a serial queue. fsync takes as long as the disk does, and must not hold a thread of the cooperative
/// pool, of which a phone has two to six.
final class FileExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  // `ExecutorJob` is younger than iOS 16, and elsewhere `UnownedJob` is deprecated here.
  #if os(iOS)
    func enqueue(_ job: UnownedJob) { run(job) }
  #else
    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }
  #endif

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  private func run(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
