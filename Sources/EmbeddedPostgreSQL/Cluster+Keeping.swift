// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

extension Cluster {
  /// Limits the size of the log, and checks an adopted postmaster, whose end is not signalled.
  func keepHouse() async {
    guard let open = state else { return }
    ServerLog(path: open.folder.log).bound()
    if case .adopted(let pid) = open.postmaster, monitor.postmasterPID == pid,
      ClusterProcesses.postmaster(of: open.folder) != pid
    {
      await postmasterEnded(pid, how: "unknown")
    }
  }

  /// Restarts a postmaster that ended by itself, with growing pauses, until that succeeds or the owner stops.
  func postmasterEnded(_ pid: pid_t, how: String) async {
    guard !monitor.isStopRequested, let open = state, open.postmaster.pid == pid else { return }
    monitor.setPostmaster(nil)
    logger.error(
      "PostgreSQL stopped unexpectedly; starting it again",
      metadata: ["pid": "\(pid)", "status": "\(how)"])
    var pause = 0.25
    while !monitor.isStopRequested, state != nil {
      do {
        let postmaster = try bringUp(open.folder, open.binaries, open.configuration)
        state?.postmaster = postmaster
        monitor.setPostmaster(postmaster.pid)
        return
      } catch is CancellationError {
        return
      } catch {
        logger.error("Cannot start PostgreSQL again", metadata: ["reason": "\(error)"])
      }
      try? await Task.sleep(for: .seconds(pause))
      pause = min(pause * 2, 30)
    }
  }

  /// Stops the postmaster: fast, after a minute immediately, at last with SIGKILL. Returns whether it has ended.
  func end(_ postmaster: Postmaster, in folder: ClusterFolder) -> Bool {
    let steps: [(signal: Int32, seconds: Double)] = [(SIGINT, 60), (SIGQUIT, 10), (SIGKILL, 5)]
    switch postmaster {
    case .child(let child):
      for step in steps {
        child.signal(step.signal)
        if child.hasEnded(within: step.seconds) { return true }
        logger.warning("PostgreSQL does not stop", metadata: ["pid": "\(child.pid)", "signal": "\(step.signal)"])
      }
      return false
    case .adopted(let pid):
      return ClusterProcesses.end(steps: steps) {
        ClusterProcesses.postmaster(of: folder) == pid ? [pid] : []
      }.isEmpty
    }
  }
}
