// SPDX-License-Identifier: Apache-2.0

import Support

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is complete or absent: bytes are written to a temporary file beside it, which ``commit()`` flushes to
/// disk and renames.
///
/// Standard output is written immediately, and `commit` does nothing for it.
package final class OutputFile {
  package let path: String
  /// Nil for standard output.
  private let file: CompleteFile?

  package init(_ output: ExportOutput) throws {
    switch output {
    case .standardOutput:
      path = "standard output"
      file = nil
    case .file(let named):
      let url = try Self.target(of: named)
      path = url.path
      file = try Self.failing {
        try CompleteFile(url.path, temporary: Self.temporaryName(beside: url), mode: 0o644)
      }
    }
  }

  /// The file to replace: for a symbolic link, its target; the link stays.
  ///
  /// A folder, device or other special file is refused, because a rename would replace it by a file.
  package static func target(of url: URL) throws -> URL {
    try failing { URL(fileURLWithPath: try CompleteFile.target(of: url.path)) }
  }

  package static func temporaryName(beside url: URL) -> String {
    url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString).part").path
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard writeAll(bytes, to: file?.descriptor ?? STDOUT_FILENO) else {
      throw PackFormatError.file(path: path, operation: "write", code: errno)
    }
  }

  package func commit() throws { try Self.failing { try file?.commit(flushing: .file) } }

  /// Runs an operation on files with the errors of this target.
  package static func failing<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as FileFailure {
      throw PackFormatError.file(path: error.path, operation: error.operation.rawValue, code: error.code)
    }
  }
}

/// Reasons why a list could not be written in another format.
public enum PackFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// An entry violates a rule of lists or of the format.
  case entry(number: Int64, rule: String)
  /// The list has no entry that the format can represent.
  case empty(what: String)
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
