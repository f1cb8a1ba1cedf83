import AsyncSupport
import Dispatch

extension ConcurrentQueueExecutor {
  /// Threads for work that keeps a core busy for seconds, so that a server's answers to requests do not wait for it.
  static let publishing = ConcurrentQueueExecutor(label: "ringfence.publishing", qos: .utility)
}
