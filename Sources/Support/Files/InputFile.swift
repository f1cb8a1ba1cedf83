// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is read from its beginning.
package final class InputFile: Sendable {
  package let path: String
  private let descriptor: Int32

  package init(_ path: String) throws(FileFailure) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(path: path, code: errno, operation: .open) }
  }

  deinit { close(descriptor) }

  /// - Returns: 1 to `count` bytes; none at the end.
  package func read(upTo count: Int) throws(FileFailure) -> [UInt8] {
    var hasFailed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, used in
      let result = uninterrupted { systemRead(descriptor, room.baseAddress, room.count) }
      (hasFailed, used) = (result < 0, max(0, result))
    }
    if hasFailed { throw FileFailure(path: path, code: errno, operation: .read) }
    return bytes
  }

  /// - Returns: all bytes; of a file longer than `limit`, the first `limit` + 1.
  package func readAll(limit: Int) throws(FileFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let piece = try read(upTo: min(1 << 20, limit + 1 - bytes.count))
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }
}

private func systemRead(_ descriptor: Int32, _ room: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, room, count)
}
