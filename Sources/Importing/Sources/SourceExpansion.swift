// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import Curation
import Support
import Foundation
import Synchronization

/// Decompresses a source's file, gzip or xz, into another temporary file.
struct SourceExpansion {
  /// Memory that the program xz may use.
  private static let xzMemory = "128MiB"
  private static let xzPaths = ["/usr/bin/xz", "/bin/xz", "/usr/local/bin/xz", "/opt/homebrew/bin/xz"]

  let folder: String
  let limits: SourceReadLimits

  /// The decompressed file; the same file where it is not compressed.
  /// - Throws: ``SourceFailure``.
  func run(_ file: SourceFile) async throws -> SourceFile {
    let expanded: SourceFile
    switch Compression(file.path) {
    case nil: return file
    case .gzip: expanded = try await readOnThread(within: limits.work) { [self] in try gunzip(file, $0) }
    case .xz: expanded = try await unxz(file)
    }
    // Readers of lines decompress gzip without a limit.
    guard Compression(expanded.path) == nil else { throw SourceFailure.unreadable("the file is compressed twice") }
    return expanded
  }

  /// The decompressed file of one that must be compressed with gzip.
  /// - Throws: ``SourceFailure``.
  func gunzipped(_ file: SourceFile) async throws -> SourceFile {
    guard Compression(file.path) == .gzip else {
      throw SourceFailure.unreadable("the file is not compressed with gzip")
    }
    return try await run(file)
  }

  private enum Compression {
    case gzip
    case xz

    /// By the first bytes of a file; nil for other bytes.
    init?(_ path: String) {
      let file = FileHandle(forReadingAtPath: path)
      let start = [UInt8]((try? file?.read(upToCount: 6)) ?? Data())
      if start.starts(with: [0x1F, 0x8B]) {
        self = .gzip
      } else if start == [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00] {
        self = .xz
      } else {
        return nil
      }
    }
  }

  private func gunzip(_ file: SourceFile, _ isOver: @escaping @Sendable () -> Bool) throws -> SourceFile {
    let expanded = try SourceFile(folder: folder)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
    defer { buffer.deallocate() }
    var total = 0
    do {
      let input = try InputBytes(file: FileBytes(path: file.path, isCancelled: isOver))
      while case let count = try input.read(into: buffer), count > 0 {
        total += count
        try checkLength(total)
        try expanded.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    } catch is InputBytes.Failure {
      throw SourceFailure.damagedFile
    } catch let error as ImportFileError {
      throw SourceFailure(error)
    }
    return expanded
  }

  private func checkLength(_ bytes: Int) throws {
    guard bytes <= limits.expandedBytes else {
      throw SourceFailure.expandsTooFar(maximumBytes: limits.expandedBytes)
    }
  }

  private func unxz(_ file: SourceFile) async throws -> SourceFile {
    guard let program = Self.xzPaths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw SourceFailure.xzMissing
    }
    let expanded = try SourceFile(folder: folder)
    let total = Atomic(0)
    let arguments = [
      "--decompress", "--stdout", "--threads=1", "--memlimit-decompress=\(Self.xzMemory)", "--", file.path,
    ]
    let (status, _, isOverdue) = try await ExternalProgram.run(
      program, arguments, environment: [:], limit: limits.work
    ) {
      try checkLength(total.wrappingAdd($0.count, ordering: .relaxed).newValue)
      try $0.withUnsafeBytes { try expanded.append($0) }
    }
    if isOverdue { throw SourceFailure.tooMuchWork(seconds: limits.work.components.seconds) }
    guard status == 0 else { throw SourceFailure.damagedFile }
    return expanded
  }
}

extension SourceFailure {
  init(_ error: ImportFileError) {
    self =
      switch error {
      case .missingColumn(_, let column): .missingColumn(column: column)
      case .lineTooLong(_, let line, let maximum): .unreadable("line \(line) is longer than \(maximum) bytes")
      case .truncated, .corrupt: .damagedFile
      case .cannotWrite(_, let reason): .cannotWrite(reason)
      case .cannotRead(_, let reason): .unreadable(reason)
      case .unsupportedCompression(_, let kind): .unreadable("the file is \(kind)")
      case .badTable(_, _, let reason): .unreadable(reason)
      }
  }
}

/// A private temporary file that is removed with this object. It is locked as long as its process lives, however that
/// ends.
final class SourceFile: Sendable {
  let path: String
  private let descriptor: Int32

  init(folder: String) throws(SourceFailure) {
    for _ in 0..<8 {
      let path = "\(folder)/\(UUID().uuidString).tmp"
      do throws(FileFailure) {
        let descriptor = try PrivateFile.open(new: path)
        // Another process may remove it between the two calls.
        if Self.lock(descriptor) {
          (self.path, self.descriptor) = (path, descriptor)
          return
        }
        close(descriptor)
      } catch {
        throw .cannotWrite(error.description)
      }
    }
    throw .cannotWrite("\(folder): \(FileBytes.systemMessage())")
  }

  /// - Returns: whether this process has the lock, and the file its name.
  private static func lock(_ descriptor: Int32) -> Bool {
    var status = stat()
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &status) == 0 && status.st_nlink > 0
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// - Throws: ``SourceFailure``.
  func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard writeAll(bytes, to: descriptor) else {
      throw SourceFailure.cannotWrite("\(path): \(FileBytes.systemMessage())")
    }
  }

  /// Removes files of processes that were killed. Files of living ones are locked.
  static func clean(folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasSuffix(".tmp") {
      let path = "\(folder)/\(name)"
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if lock(descriptor) { unlink(path) }
      close(descriptor)
    }
  }
}
