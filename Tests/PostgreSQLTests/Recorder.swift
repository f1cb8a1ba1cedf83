import Foundation

/// A list that tasks append to.
final class Recorder<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Value] = []
  var values: [Value] { lock.withLock { list } }
  func append(_ value: Value) { lock.withLock { list.append(value) } }
}
