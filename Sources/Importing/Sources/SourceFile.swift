// SPDX-License-Identifier: Apache-2.0

import Curation
import FileSupport
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A private temporary file that is removed with this object.
final class SourceFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// - Throws: ``SourceFailure``.
  init(folder: String) throws(SourceFailure) {
    path = "\(folder)/\(UUID().uuidString).tmp"
    do throws(FileFailure) {
      descriptor = try PrivateFile.open(new: path)
    } catch {
      throw .cannotWrite(error.description)
    }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Appends bytes.
  /// - Throws: ``SourceFailure``.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      let count = write(descriptor, base, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SourceFailure.cannotWrite("\(path): \(FileBytes.systemMessage())") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Removes files that a process left when it was killed.
  /// - Parameter age: files that are younger, in seconds, stay: another process may be using them.
  static func clean(folder: String, olderThan age: TimeInterval, at time: Date) {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".tmp") {
      let path = "\(folder)/\(name)"
      guard let changed = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date,
        time.timeIntervalSince(changed) > age
      else { continue }
      try? files.removeItem(atPath: path)
    }
  }
}
