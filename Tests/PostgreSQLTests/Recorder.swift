// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A list that tasks append to.
final class Recorder<Value: Sendable>: Sendable {
  private let list = Mutex<[Value]>([])
  var values: [Value] { list.withLock { $0 } }
  func append(_ value: Value) { list.withLock { $0.append(value) } }
}
