// SPDX-License-Identifier: Apache-2.0

package import NIOCore
package import NIOPosix

/// A cache of served files that stay open between requests: a download needs no `open`, all downloads of a file share a
/// descriptor, and each file is read for its digest once.
package actor OpenFiles {
  private struct Entry {
    let file: OpenFile
    var used: UInt64
  }

  private let capacity: Int
  private let count: OpenFileCount
  private let threads: NIOThreadPool
  private var entries: [String: Entry] = [:]
  private var opening: [String: Task<OpenFile?, any Error>] = [:]
  private var uses: UInt64 = 0

  /// - Parameters:
  /// - capacity: maximum files in the cache.
  /// - limit: maximum open files, including downloads of files that have left the cache.
  package init(capacity: Int = 64, limit: Int = 256, threads: NIOThreadPool = .singleton) {
    self.capacity = capacity
    self.threads = threads
    count = OpenFileCount(limit: limit)
  }

  /// The number of open files.
  package var openCount: Int { count.current }

  /// The file that currently has this path.
  /// - Parameter known: the file's entry in a manifest, if any; a file of that length is not read for its digest.
  /// - Returns: nil if there is none.
  /// - Throws: ``Problem/unavailable`` if too many files are open, or a system error.
  package func file(at path: String, known: KnownFile? = nil) async throws -> OpenFile? {
    let identity = try await threads.runIfActive { FileIdentity(path: path) }
    if let entry = entries[path] {
      if entry.file.identity == identity {
        uses += 1
        entries[path]?.used = uses
        return entry.file
      }
      entries[path] = nil
    }
    guard identity != nil else { return nil }
    return try await open(path, known)
  }

  private func open(_ path: String, _ known: KnownFile?) async throws -> OpenFile? {
    if let task = opening[path] { return try await task.value }
    if entries.count >= capacity, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
      entries[oldest.key] = nil
    }
    let task = Task { [threads, count] in
      try await threads.runIfActive { try OpenFile.open(path, known: known, count: count) }
    }
    opening[path] = task
    defer { opening[path] = nil }
    guard let file = try await task.value else { return nil }
    uses += 1
    entries[path] = Entry(file: file, used: uses)
    return file
  }

  /// Reads a part of a file into memory; the part must be small.
  package func bytes(_ part: Range<Int>, of file: OpenFile) async throws -> ByteBuffer {
    try await threads.runIfActive { try file.bytes(part) }
  }
}
