// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Synchronization

/// A part of a file whose rows are in order. Its row is the first one that was not taken.
protocol SortedRun {
  /// Whether the row of this run comes before the one of another run.
  func isBefore(_ other: Self) -> Bool

  /// Takes the row. Returns whether there is a further one.
  mutating func advance() throws -> Bool
}

/// Runs whose rows are taken in the order of all.
struct RunHeap<Run: SortedRun> {
  /// As a binary heap: the first run has the first row.
  private(set) var runs: [Run]

  /// - Parameter runs: each with a row.
  init(_ runs: [Run]) {
    // A sorted array is a heap.
    self.runs = runs.sorted { $0.isBefore($1) }
  }

  var first: Run? { runs.first }

  /// Takes the first row.
  mutating func advance() throws {
    if try !runs[0].advance() {
      runs.swapAt(0, runs.count - 1)
      runs.removeLast()
    }
    var parent = 0
    while 2 * parent + 1 < runs.count {
      let left = 2 * parent + 1
      let child = left + 1 < runs.count && runs[left + 1].isBefore(runs[left]) ? left + 1 : left
      guard runs[child].isBefore(runs[parent]) else { return }
      runs.swapAt(child, parent)
      parent = child
    }
  }
}

/// An unlinked temporary file, which disappears when the process ends. Several tasks may write to it at once, each into
/// the part that it reserved.
final class TemporaryFile: Sendable {
  private let descriptor: Int32
  private let path: String
  private let end = Mutex(0)

  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  init(folder: String) throws(ImportFileError) {
    path = "\(folder)/ringfence-import.XXXXXX"
    var name = Array(path.utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: FileBytes.systemMessage()) }
    unlink(name)
  }

  deinit { close(descriptor) }

  /// Reserves the next bytes of the file for the caller.
  func reserve(_ count: Int) -> Range<Int> {
    end.withLock { end in
      defer { end += count }
      return end..<end + count
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(ImportFileError) {
    guard bytes.withUnsafeBytes({ writeAll($0, to: descriptor, at: offset) }) else {
      throw .cannotWrite(path: path, reason: FileBytes.systemMessage())
    }
  }

  /// Fills the buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImportFileError) {
    guard readAll(into: buffer, from: descriptor, at: offset) == buffer.count else {
      throw .cannotRead(path: path, reason: FileBytes.systemMessage())
    }
  }
}
