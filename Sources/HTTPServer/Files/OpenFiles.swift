package import NIOCore
package import NIOPosix

/// The files that are served, kept open while they are asked for: a download costs no `open`, many of one file cost one
/// descriptor, and a file is read for its digest once.
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
  ///   - capacity: how many stay open without being read.
  ///   - limit: how many may be open at all; downloads of files that were forgotten count too.
  package init(capacity: Int = 64, limit: Int = 256, threads: NIOThreadPool = .singleton) {
    self.capacity = capacity
    self.threads = threads
    count = OpenFileCount(limit: limit)
  }

  /// How many files are open.
  package var openCount: Int { count.current }

  /// The file that lies under this name now.
  /// - Parameter known: what a manifest says of the name, where it does: a file of that length is not read for its digest.
  /// - Returns: nil when there is none.
  /// - Throws: ``Problem/unavailable`` when too many are open, or what the system said.
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

  /// A part of a file that is small enough to be held in memory.
  package func bytes(_ part: Range<Int>, of file: OpenFile) async throws -> ByteBuffer {
    try await threads.runIfActive { try file.bytes(part) }
  }
}
