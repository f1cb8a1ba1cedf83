// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Dispatch
import Foundation
import Storage
import Synchronization

/// The progress of a run. The caller receives each step at once. The database receives it every two seconds, as a
/// heartbeat of the run.
final class RunProgress: Sendable {
  private struct State {
    var step = JobStep.starting
    var part = 0.0
    var isLost = false
  }

  private let state = Mutex(State())
  private let tell: @Sendable (JobStep, Double) -> Void

  init(tell: @escaping @Sendable (JobStep, Double) -> Void) {
    self.tell = tell
  }

  /// - Parameter part: 0 to 1.
  func say(_ step: JobStep, _ part: Double) {
    state.withLock { state in
      state.step = step
      state.part = part
    }
    tell(step, part)
  }

  /// Reports to the database until the task is canceled. If the database does not answer, the next report tries again;
  /// the claim is checked once more before anything becomes visible.
  func report(to store: PublicationStore, _ claim: PublicationClaim) async {
    while !Task.isCancelled {
      let (step, part) = state.withLock { ($0.step, $0.part) }
      if let holds = try? await store.report(claim, step: step, percent: Int(part * 100)), !holds {
        state.withLock { $0.isLost = true }
        return
      }
      guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
    }
  }
}

extension ConcurrentQueueExecutor {
  /// Threads for work that uses a core for seconds, so that responses of a server do not wait for it.
  static let publishing = ConcurrentQueueExecutor(label: "ringfence.publishing", qos: .utility)
}
