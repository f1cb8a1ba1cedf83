// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation

/// Writes files that are complete or absent, even after a power failure.
enum DurableFile {
  /// Writes beside, flushes to disk, renames into place, and flushes the folder.
  /// - Parameter isPrivate: whether nobody but its owner may read it.
  static func replace(_ path: String, with data: Data, isPrivate: Bool = false) throws(PublishingError) {
    do {
      try CompleteFile.replace(path, with: data, mode: isPrivate ? 0o600 : 0o666)
    } catch {
      throw .cannotWrite(error.path, errno: error.code)
    }
  }

  /// The caller flushes the folder.
  static func move(_ path: String, to target: String) throws(PublishingError) {
    do {
      try CompleteFile.move(path, to: target, flushing: .nothing)
    } catch {
      throw .cannotWrite(target, errno: error.code)
    }
  }

  /// Length in bytes.
  static func length(_ path: String) throws(PublishingError) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .cannotWrite(path, errno: errno) }
    return Int(status.st_size)
  }

  /// Flushes a file's content, or a folder's names, to disk.
  static func flush(_ path: String) throws(PublishingError) {
    do {
      try flushToDisk(path)
    } catch {
      throw .cannotWrite(path, errno: error.code)
    }
  }
}
