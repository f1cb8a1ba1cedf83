// SPDX-License-Identifier: Apache-2.0

import FileSupport
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writes files that are complete or absent, even after a power failure.
enum DurableFile {
  /// Writes beside, flushes to disk, renames into place, and flushes the folder.
  /// - Parameter isPrivate: whether nobody but its owner may read it.
  static func replace(_ path: String, with data: Data, isPrivate: Bool = false) throws {
    let temporary = "\(path).\(UUID().uuidString).tmp"
    do {
      do {
        if isPrivate {
          try PrivateFile.create(temporary, data)
        } else {
          try data.write(to: URL(filePath: temporary))
          try flushToDisk(temporary)
        }
      } catch let error as FileFailure {
        throw PublishingError.cannotWrite(path, errno: error.code)
      } catch let error as CocoaError {
        throw PublishingError.cannotWrite(path, errno: (error.underlying as? POSIXError)?.code.rawValue ?? EIO)
      }
      guard rename(temporary, path) == 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
    } catch {
      unlink(temporary)
      throw error
    }
    try flush(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Renames a file over another. The caller flushes the folder.
  static func move(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw PublishingError.cannotWrite(target, errno: errno) }
  }

  /// Length in bytes.
  static func length(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw PublishingError.cannotWrite(path, errno: errno) }
    return Int(status.st_size)
  }

  /// Flushes a file's content, or a folder's names, to disk.
  static func flush(_ path: String) throws {
    do throws(FileFailure) {
      try flushToDisk(path)
    } catch {
      throw PublishingError.cannotWrite(path, errno: error.code)
    }
  }
}
