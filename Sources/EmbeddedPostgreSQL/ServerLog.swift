// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file with PostgreSQL's messages. It and its predecessor have about `limit` bytes each.
struct ServerLog {
  let path: String
  var limit = 16 << 20

  /// Opens the file for appending; close the descriptor after use.
  func open() throws(EmbeddedPostgresError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
    return descriptor
  }

  /// Its size in bytes.
  var size: Int { FileStatus(path)?.size ?? 0 }

  /// The last lines that were written after `offset` bytes.
  func tail(from offset: Int, lines: Int = 15) -> String {
    guard let descriptor = try? open() else { return "(no log)" }
    defer { close(descriptor) }
    let start = max(offset, size - 16 << 10)
    var bytes = [UInt8](repeating: 0, count: max(0, size - start))
    let count = pread(descriptor, &bytes, bytes.count, off_t(start))
    let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    return Self.lastLines(of: text, count: lines)
  }

  static func lastLines(of text: String, count: Int) -> String {
    text.split(separator: "\n").suffix(count).joined(separator: "\n")
  }

  /// Moves the content to a second file when it exceeds the limit. PostgreSQL keeps the file open and appends, so it is
  /// copied and truncated; a line written in between may be lost.
  func bound() {
    guard size > limit, let source = try? open() else { return }
    defer { close(source) }
    let previous = path + ".1"
    unlink(previous)
    let target = Glibc.open(previous, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard target >= 0 else { return }
    defer { close(target) }
    var remaining = min(size, 2 * limit)
    var offset = off_t(size - remaining)
    while remaining > 0 {
      let count = sendfile(target, source, &offset, remaining)
      guard count > 0 else { break }
      remaining -= count
    }
    ftruncate(source, 0)
  }
}
