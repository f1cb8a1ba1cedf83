// SPDX-License-Identifier: Apache-2.0

import Support

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is written under a temporary name and renamed when it is complete.
package final class PackSink {
  private let file: CompleteFile
  private var buffer: [UInt8] = []
  /// The number of bytes written so far.
  package private(set) var count = 0

  /// The final path of the file.
  package var path: String { file.path }

  /// Creates the temporary file with mode 0666, reduced by the process's umask.
  ///
  /// At a symbolic link, the file that it leads to is replaced and the link stays. A path that is not a regular file,
  /// such as a folder or a device, is refused, because a rename would replace it.
  package init(path: String) throws(PackError) {
    do {
      file = try CompleteFile(CompleteFile.target(of: path), mode: 0o666)
    } catch {
      throw PackError(error)
    }
    buffer.reserveCapacity(Self.bufferBytes)
  }

  private static let bufferBytes = 64 << 10

  package func write(_ bytes: some Collection<UInt8>) throws(PackError) {
    buffer.append(contentsOf: bytes)
    count += bytes.count
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// Overwrites bytes that were written before.
  package func overwrite(_ bytes: [UInt8], at offset: Int) throws(PackError) {
    try flush()
    try put(bytes, at: offset)
  }

  /// Passes buffered bytes to the system.
  package func flush() throws(PackError) {
    try put(buffer, at: count - buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  private func put(_ bytes: [UInt8], at offset: Int) throws(PackError) {
    guard file.descriptor >= 0 else { throw PackError(.misuse, "\(path) is finished already") }
    guard bytes.withUnsafeBytes({ writeAll($0, to: file.descriptor, at: offset) }) else {
      throw .system("cannot write \(path)")
    }
  }

  /// Discards the bytes written so far.
  package func restart() throws(PackError) {
    buffer.removeAll(keepingCapacity: true)
    count = 0
    guard ftruncate(file.descriptor, 0) == 0 else { throw .system("cannot write \(path)") }
  }

  /// Computes the SHA-256 of the bytes written so far.
  package func digest() throws(PackError) -> PackDigest { try source().digest() }

  /// Opens a reader of the bytes written so far.
  package func source() throws(PackError) -> PackSource {
    try flush()
    let copy = dup(file.descriptor)
    guard copy >= 0 else { throw .system("cannot read \(path) again") }
    return try PackSource.take(copy, path)
  }

  /// Flushes the file to the disk and renames it.
  package func publish() throws(PackError) {
    try flush()
    do { try file.commit(flushing: .file) } catch { throw PackError(error) }
  }

  /// Removes the temporary name: the file lives as long as it is open, and a crash leaves nothing behind.
  package func forgetName() { file.forgetName() }

  /// Discards the file; without effect after it was published.
  package func cancel() { file.discard() }
}

extension PackError {
  fileprivate init(_ failure: FileFailure) {
    let path = failure.path
    switch failure.operation {
    case .replace:
      self.init(.inputOutput, "\(path) is there and is not a regular file", remedy: "choose another name")
    case .resolve: self.init(.inputOutput, "cannot resolve \(path)", got: failure.reason)
    case .create: self.init(.inputOutput, "cannot create a file beside \(path)", got: failure.reason)
    case .flush: self.init(.inputOutput, "cannot make \(path) durable", got: failure.reason)
    default: self.init(.inputOutput, "cannot name \(path)", got: failure.reason)
    }
  }
}
