// SPDX-License-Identifier: Apache-2.0

package import CallerPack
import Crypto
package import Support
import Foundation
package import NIOCore
package import NIOPosix
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

/// An open file with a known digest. All readers share the descriptor and never move its position. It is closed after
/// the last reader, even if the file was renamed or deleted.
package final class OpenFile: Sendable {
  package let descriptor: Int32
  package let identity: FileIdentity
  /// SHA-256 of the content.
  package let digest: PackDigest
  private let count: OpenFileCount

  /// Size in bytes.
  package var length: Int { identity.length }

  private init(descriptor: Int32, identity: FileIdentity, digest: PackDigest, count: OpenFileCount) {
    self.descriptor = descriptor
    self.identity = identity
    self.digest = digest
    self.count = count
  }

  deinit {
    close(descriptor)
    count.remove()
  }

  /// Opens a file and reads it once to compute its digest, unless that is known. Blocks.
  /// - Parameter known: the entry of the file in a signed manifest.
  /// - Parameter count: counts the file while it is open.
  /// - Returns: nil if there is no regular file of this name.
  /// - Throws: ``Problem/unavailable`` if too many files are open, or a system error.
  package static func open(_ path: String, known: KnownFile? = nil, count: OpenFileCount) throws -> OpenFile? {
    guard count.add() else { throw Problem.unavailable }
    let descriptor = openForReading(path)
    guard descriptor >= 0 else {
      count.remove()
      if errno == ENOENT { return nil }
      throw IOError(errnoCode: errno, reason: "open")
    }
    var isTaken = false
    defer {
      if !isTaken {
        close(descriptor)
        count.remove()
      }
    }
    guard let identity = FileIdentity(descriptor: descriptor) else { return nil }
    let digest =
      if let known, known.bytes == identity.length { known.digest } else {
        try digest(of: descriptor, length: identity.length)
      }
    isTaken = true
    return OpenFile(descriptor: descriptor, identity: identity, digest: digest, count: count)
  }

  /// Reads a part of the content. Blocks.
  package func bytes(_ part: Range<Int>) throws -> ByteBuffer {
    var buffer = ByteBuffer()
    var offset = part.lowerBound
    while offset < part.upperBound {
      let wanted = part.upperBound - offset
      let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { free in
        try Self.read(descriptor, UnsafeMutableRawBufferPointer(rebasing: free[..<wanted]), at: offset)
      }
      offset += count
    }
    return buffer
  }

  private static func digest(of descriptor: Int32, length: Int) throws -> PackDigest {
    var hasher = SHA256()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { piece.deallocate() }
    var offset = 0
    while offset < length {
      let wanted = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, length - offset)])
      let count = try read(descriptor, wanted, at: offset)
      hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: wanted[..<count]))
      offset += count
    }
    guard let digest = PackDigest(Array(hasher.finalize())) else { throw IOError(errnoCode: EIO, reason: "digest") }
    return digest
  }

  /// - Returns: the count of bytes, at least 1; a truncated file is an error.
  private static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws -> Int {
    let count = uninterrupted { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    guard count > 0 else { throw IOError(errnoCode: count == 0 ? EIO : errno, reason: "pread") }
    return count
  }
}

/// A file's entry in a manifest.
package struct KnownFile: Sendable, Equatable {
  package let bytes: Int
  package let digest: PackDigest
}

/// `O_NONBLOCK` keeps the open of a named pipe from waiting.
private func openForReading(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }

/// Counts open files and limits them.
package final class OpenFileCount: Sendable {
  private let limit: Int
  private let open = Mutex(0)

  package init(limit: Int) {
    self.limit = limit
  }

  /// - Returns: false if the limit is reached; nothing is counted then.
  package func add() -> Bool {
    open.withLock { open in
      guard open < limit else { return false }
      open += 1
      return true
    }
  }

  package func remove() { open.withLock { $0 -= 1 } }

  package var current: Int { open.withLock { $0 } }
}
