// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A file that is complete or absent: bytes are written to a temporary file beside it, which ``commit()`` flushes to
/// disk and renames.
///
/// Standard output is written immediately, and `commit` does nothing for it.
final class OutputFile {
  let path: String
  private var descriptor: Int32
  private let temporary: String?

  init(_ output: ExportOutput) throws {
    switch output {
    case .standardOutput:
      path = "standard output"
      temporary = nil
      descriptor = STDOUT_FILENO
    case .file(let named):
      let url = try Self.target(of: named)
      path = url.path
      let name = Self.temporaryName(beside: url)
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw PackFormatError.file(path: url.path, operation: "create", code: errno) }
    }
  }

  /// The file to replace: for a symbolic link, its target; the link stays.
  ///
  /// A folder, device or other special file is refused, because a rename would replace it by a file.
  static func target(of url: URL) throws -> URL {
    var status = stat()
    guard stat(url.path, &status) == 0 else { return url }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let code = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
      throw PackFormatError.file(path: url.path, operation: "replace", code: code)
    }
    guard let resolved = realpath(url.path, nil) else {
      throw PackFormatError.file(path: url.path, operation: "resolve", code: errno)
    }
    defer { free(resolved) }
    return URL(fileURLWithPath: String(cString: resolved))
  }

  /// A unique temporary name in the folder of `url`.
  static func temporaryName(beside url: URL) -> String {
    url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString).part").path
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      #if canImport(Darwin)
        let count = Darwin.write(descriptor, base, rest.count)
      #else
        let count = Glibc.write(descriptor, base, rest.count)
      #endif
      if count < 0 {
        if errno == EINTR { continue }
        throw PackFormatError.file(path: path, operation: "write", code: errno)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Flushes the file and renames it.
  func commit() throws {
    guard let temporary else { return }
    guard fsync(descriptor) == 0 else { throw PackFormatError.file(path: path, operation: "flush", code: errno) }
    close(descriptor)
    descriptor = -1
    try Self.rename(temporary, to: path)
  }

  /// Renames within a folder and flushes the folder.
  static func rename(_ temporary: String, to path: String) throws {
    #if canImport(Darwin)
      let result = Darwin.rename(temporary, path)
    #else
      let result = Glibc.rename(temporary, path)
    #endif
    guard result == 0 else { throw PackFormatError.file(path: path, operation: "rename to", code: errno) }
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // Some file systems cannot flush a folder; the file itself is already flushed.
    _ = fsync(folder)
    close(folder)
  }

  deinit {
    guard let temporary, descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporary)
  }
}

/// Reasons why a list could not be written in another format.
public enum PackFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry violates a rule of lists or of the format.
  case entry(number: Int64, rule: String)
  /// The list has no entry that the format can represent.
  case empty(what: String)
  /// The value of an option is invalid.
  case option(String)
  /// A file could not be read or written; `code` is an `errno` value, or an error code of SQLite or zlib.
  case file(path: String, operation: String, code: Int32)

  /// A sentence for the person who runs the export.
  public var description: String {
    switch self {
    case .entry(let number, let rule): "entry \(number): \(rule)"
    case .empty(let what): "\(what) would be empty"
    case .option(let sentence): sentence
    case .file(let path, let operation, let code): "\(operation) \(path): error \(code)"
    }
  }
}
