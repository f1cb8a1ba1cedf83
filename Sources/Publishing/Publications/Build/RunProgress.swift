import Curation
import Foundation
import Storage
import Synchronization

/// How far a run is: told to whoever asked for it at once, and to the database every two seconds, which also says that
/// the run lives.
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

  /// Whether the database has given the run up meanwhile.
  var isLost: Bool { state.withLock { $0.isLost } }

  /// Tells the database until it is cancelled. A database that does not answer is told again later: what matters is
  /// asked once more before anything becomes visible.
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
