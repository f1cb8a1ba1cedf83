// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Support

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum LocalFile {
  /// The error for the current errno.
  static func failure(_ path: String) -> FetchError { FetchError(FileFailure(path: path, code: errno)) }

  /// - Returns: nil when it does not exist.
  static func read(_ url: URL, limit: Int) throws -> Data? {
    let path = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = try? Data(InputFile(path).readAll(limit: limit)) else {
      throw FetchError.network("\(path) cannot be read. Check its permissions.")
    }
    guard data.count <= limit else { throw FetchError.refused(.tooLarge(bytes: data.count, limit: limit)) }
    return data
  }

  /// Copies a file; of a file longer than `limit`, the first `limit` + 1 bytes.
  static func copy(_ url: URL, limit: Int, to path: String) throws {
    let origin = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: origin) else { throw FetchError.missing(origin) }
    guard let input = try? InputFile(origin) else {
      throw FetchError.network("\(origin) cannot be read. Check its permissions.")
    }
    try Self.failing {
      let output = try PartialFile(path, limit: limit, mode: 0o644)
      try output.restart()
      while true {
        let piece = try input.read(upTo: 1 << 20)
        if piece.isEmpty { break }
        guard try output.append(piece) else { throw output.tooLong }
      }
      try output.finish()
    }
  }

  /// Writes a temporary file beside, flushes it to disk, and renames it into place.
  static func replace(_ path: String, with data: Data) throws {
    try failing { try CompleteFile.replace(path, with: data, temporary: "\(path).new", mode: 0o644) }
  }

  /// Flushes a file, or a folder's names, to disk.
  static func flush(_ path: String) throws {
    do { try flushToDisk(path) } catch { throw FetchError.cannotWrite("Cannot flush \(path): \(error.reason).") }
  }

  /// Runs an operation on files with errors of ``FetchError``.
  static func failing<Result>(_ work: () throws -> Result) throws -> Result {
    do { return try work() } catch let error as FileFailure { throw FetchError(error) }
  }

  /// Makes a folder, and those above it, that only its owner may change, whatever the umask. One that is there stays as
  /// it is.
  static func makeFolder(_ path: String) throws {
    if mkdir(path, 0o755) == 0 { return }
    let code = errno
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
    let parent = URL(filePath: path).standardizedFileURL.deletingLastPathComponent().path
    guard code == ENOENT, parent != path else { throw FetchError(FileFailure(path: path, code: code)) }
    try makeFolder(parent)
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure(path) }
  }
}

extension FetchError {
  init(_ failure: FileFailure) {
    let operation = failure.operation == .flush ? "flush" : "write"
    self = .cannotWrite("Cannot \(operation) \(failure.path): \(failure.reason).")
  }
}

extension PartialFile {
  /// The error for a sender with more bytes than in the manifest.
  var tooLong: FetchError {
    .refused(
      .wrongFile(path: URL(filePath: path).lastPathComponent, expected: "\(limit) bytes", got: "more than that"))
  }
}
