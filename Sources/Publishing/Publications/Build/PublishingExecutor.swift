// SPDX-License-Identifier: Apache-2.0

import AsyncSupport
import Dispatch

extension ConcurrentQueueExecutor {
  /// Threads for work that uses a core for seconds, so that responses of a server do not wait for it.
  static let publishing = ConcurrentQueueExecutor(label: "ringfence.publishing", qos: .utility)
}
