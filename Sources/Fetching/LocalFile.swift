// SPDX-License-Identifier: Apache-2.0

import CallerPack
import FileSupport
import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Files on the local disk.
enum LocalFile {
  /// The error for the current errno.
  static func failure(_ what: String, _ path: String) -> FetchError {
    .cannotWrite("Cannot \(what) \(path): \(String(cString: strerror(errno))).")
  }

  /// - Returns: nil when it does not exist.
  static func read(_ url: URL, limit: Int) throws -> Data? {
    let path = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      let data = try file.read(upToCount: limit + 1) ?? Data()
      guard data.count <= limit else { throw FetchError.refused(.tooLarge(bytes: data.count, limit: limit)) }
      return data
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.network("\(path) cannot be read. Check its permissions.")
    }
  }

  /// Copies a file; of a file longer than `limit`, the first `limit` + 1 bytes.
  static func copy(_ url: URL, limit: Int, to path: String) throws {
    let origin = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: origin) else { throw FetchError.missing(origin) }
    guard let input = FileHandle(forReadingAtPath: origin) else {
      throw FetchError.network("\(origin) cannot be read. Check its permissions.")
    }
    defer { try? input.close() }
    let output = try PartialFile(path: path, limit: limit)
    try output.restart()
    while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty { try output.append(piece) }
    try output.finish()
  }

  /// Writes a temporary file beside, flushes it to disk, and renames it into place.
  static func replace(_ path: String, with data: Data) throws {
    let temporary = "\(path).new"
    unlink(temporary)
    let file = try PartialFile(path: temporary, limit: data.count)
    try file.append(data)
    try file.finish()
    guard rename(temporary, path) == 0 else { throw failure("write", path) }
    try flush(URL(filePath: path).deletingLastPathComponent().path)
  }

  /// Flushes a file, or a folder's names, to disk.
  static func flush(_ path: String) throws {
    do { try flushToDisk(path) } catch { throw FetchError.cannotWrite("Cannot flush \(path): \(error.reason).") }
  }

  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw FetchError.cannotWrite("Cannot make the folder \(path).")
    }
  }
}
