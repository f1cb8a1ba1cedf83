// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Synchronization

/// The place of a row among others: by number, then by the other value.
struct RowOrder: Comparable {
  var number: Int64
  var other: Int

  static func < (lhs: Self, rhs: Self) -> Bool { (lhs.number, lhs.other) < (rhs.number, rhs.other) }
}

/// A part of a file whose rows are in order. Its row is the first one that was not taken.
protocol SortedRun {
  /// Of the row.
  var order: RowOrder { get }

  /// Takes the row. Returns whether there is a further one.
  mutating func advance() throws -> Bool
}

/// Runs whose rows are taken in the order of all.
struct RunHeap<Run: SortedRun> {
  private var runs: [Run]
  /// The runs that have rows, as a binary heap: the first one has the first row.
  private(set) var entries: [(order: RowOrder, run: Int)]

  /// - Parameter runs: each with a row.
  init(_ runs: [Run]) {
    self.runs = runs
    // A sorted array is a heap.
    entries = runs.indices.map { (runs[$0].order, $0) }.sorted { $0.order < $1.order }
  }

  var first: Run? { entries.first.map { runs[$0.run] } }

  /// Takes the first row.
  mutating func advance() throws {
    let run = entries[0].run
    if try runs[run].advance() {
      entries[0].order = runs[run].order
    } else {
      entries.swapAt(0, entries.count - 1)
      entries.removeLast()
    }
    var parent = 0
    while 2 * parent + 1 < entries.count {
      let left = 2 * parent + 1
      let child = left + 1 < entries.count && entries[left + 1].order < entries[left].order ? left + 1 : left
      guard entries[child].order < entries[parent].order else { return }
      entries.swapAt(child, parent)
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
