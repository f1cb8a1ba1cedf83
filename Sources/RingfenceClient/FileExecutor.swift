// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs an actor on a serial queue. fsync blocks as long as the disk needs, and must not block a thread of the
/// cooperative pool, which has two to six threads on a phone.
final class FileExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  // `ExecutorJob` needs iOS 17; on macOS and Linux `UnownedJob` is deprecated here.
  #if canImport(Darwin) && !os(macOS)
    func enqueue(_ job: UnownedJob) { run(job) }
  #else
    func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job)) }
  #endif

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  private func run(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
