// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The state of a cluster that can be read while its thread is busy.
final class ClusterMonitor: Sendable {
  private let stop = Atomic<Bool>(false)
  private let pid = Atomic<Int32>(0)

  /// Whether the owner has requested a stop; waits check it.
  var isStopRequested: Bool { stop.load(ordering: .acquiring) }

  /// The running postmaster's process id.
  var postmasterPID: Int32? {
    let value = pid.load(ordering: .acquiring)
    return value == 0 ? nil : value
  }

  func requestStop() { stop.store(true, ordering: .releasing) }

  func setPostmaster(_ value: Int32?) { pid.store(value ?? 0, ordering: .releasing) }
}
