/// The executor of one connection: a thread of its own, on which libpq may block.
final class ConnectionThread: SerialExecutor, @unchecked Sendable {
  private let lock = ConditionLock()
  private var jobs: [UnownedJob] = []
  private var isStopped = false
  private var farewell: (@Sendable () -> Void)?

  init() {
    startThread { self.work() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    lock.withLock {
      jobs.append(job)
      lock.signal()
    }
  }

  /// Ends the thread after the jobs at hand, with `farewell` as its last act.
  func stop(_ farewell: @escaping @Sendable () -> Void) {
    lock.withLock {
      isStopped = true
      self.farewell = farewell
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
    farewell?()
  }
}
