// SPDX-License-Identifier: Apache-2.0

import FileSupport
import Foundation

/// A row that was not imported, and why.
public struct ImportReject: Sendable, Equatable {
  /// The line in the file, from 1, counting the header; the first line of a row that spans several.
  public var line: Int
  /// The reason of the rejection.
  public var reason: RejectReason
  /// The start of the row's text, at most ``ComplaintLimits/rejectTextBytes`` bytes, invalid UTF-8 repaired.
  public var text: String

  /// Makes a reject of these fields.
  public init(line: Int, reason: RejectReason, text: String) {
    self.line = line
    self.reason = reason
    self.text = text
  }
}

/// A file of rejected lines that gets its name only when it is complete: line, reason and text, separated by tabs.
///
/// Only its owner can read it, because rejected lines can contain comments.
final class RejectFile {
  private enum Output {
    case file(CompleteFile)
    /// A character device, which is written directly.
    case device(Int32)

    var descriptor: Int32 {
      switch self {
      case .file(let file): file.descriptor
      case .device(let descriptor): descriptor
      }
    }
  }

  private let path: String
  private let output: Output
  private var buffer: [UInt8] = []

  /// Creates the file under a temporary name beside `path`.
  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  init(path: String) throws(ImportFileError) {
    self.path = path
    // A rename would replace a device such as /dev/null by a file.
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFCHR {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .cannotWrite(path: path, reason: FileBytes.systemMessage()) }
      output = .device(descriptor)
    } else if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw .cannotWrite(path: path, reason: "it is neither a regular file nor a character device")
    } else {
      do throws(FileFailure) {
        output = .file(try CompleteFile(path, temporary: "\(path).\(getpid()).partial"))
      } catch {
        throw .cannotWrite(path: path, reason: error.reason)
      }
    }
  }

  deinit {
    if case .device(let descriptor) = output { close(descriptor) }
  }

  /// Adds a line.
  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  func add(_ reject: ImportReject) throws(ImportFileError) {
    buffer.append(contentsOf: "\(reject.line)\t\(reject.reason.rawValue)\t".utf8)
    for byte in reject.text.utf8 { Self.appendEscaped(byte, to: &buffer) }
    buffer.append(0x0A)
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Renames the file to its final name; without this call it is removed with this object.
  /// - Throws: ``ImportFileError/cannotWrite(path:reason:)``.
  func finish() throws(ImportFileError) {
    try flush()
    guard case .file(let file) = output else { return }
    do throws(FileFailure) {
      try file.commit(flushing: .file)
    } catch {
      throw .cannotWrite(path: path, reason: error.reason)
    }
  }

  private func flush() throws(ImportFileError) {
    guard writeAll(buffer, to: output.descriptor) else {
      throw .cannotWrite(path: path, reason: FileBytes.systemMessage())
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Escapes control characters, which would break the line or control a terminal.
  private static func appendEscaped(_ byte: UInt8, to buffer: inout [UInt8]) {
    switch byte {
    case 0x09: buffer.append(contentsOf: "\\t".utf8)
    case 0x0A: buffer.append(contentsOf: "\\n".utf8)
    case 0x0D: buffer.append(contentsOf: "\\r".utf8)
    case 0x5C: buffer.append(contentsOf: "\\\\".utf8)
    case 0..<0x20, 0x7F:
      buffer.append(contentsOf: "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
    default: buffer.append(byte)
    }
  }
}
