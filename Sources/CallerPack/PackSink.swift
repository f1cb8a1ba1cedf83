// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is written under a temporary name and renamed when it is complete.
package final class PackSink {
  /// The final path of the file.
  package let path: String
  private let temporary: String
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  /// The number of bytes written so far.
  package private(set) var count = 0

  /// Creates the temporary file with mode 0666, reduced by the process's umask.
  ///
  /// At a symbolic link, the file that it leads to is replaced and the link stays. A path that is not a regular file,
  /// such as a folder or a device, is refused, because a rename would replace it.
  package init(path: String) throws(PackError) {
    self.path = try Self.target(of: path)
    var name = Array("\(self.path).XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    temporary = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw .system("cannot create a file beside \(path)") }
    let mask = umask(0)
    _ = umask(mask)
    _ = fchmod(descriptor, 0o666 & ~mask)
    buffer.reserveCapacity(Self.bufferBytes)
  }

  deinit { cancel() }

  /// Returns the path that a file of this name is written to.
  private static func target(of path: String) throws(PackError) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return path }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw PackError(.inputOutput, "\(path) is there and is not a regular file", remedy: "choose another name")
    }
    guard let resolved = realpath(path, nil) else { throw .system("cannot resolve \(path)") }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static let bufferBytes = 64 << 10

  /// Appends bytes.
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
    guard descriptor >= 0 else { throw PackError(.misuse, "\(path) is finished already") }
    var done = 0
    while done < bytes.count {
      let wrote = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(offset + done))
      }
      if wrote < 0 && errno == EINTR { continue }
      guard wrote > 0 else { throw .system("cannot write \(path)") }
      done += wrote
    }
  }

  /// Discards the bytes written so far.
  package func restart() throws(PackError) {
    buffer.removeAll(keepingCapacity: true)
    count = 0
    guard ftruncate(descriptor, 0) == 0 else { throw .system("cannot write \(path)") }
  }

  /// Computes the SHA-256 of the bytes written so far.
  package func digest() throws(PackError) -> PackDigest { try source().digest() }

  /// Opens a reader of the bytes written so far.
  package func source() throws(PackError) -> PackSource {
    try flush()
    let copy = dup(descriptor)
    guard copy >= 0 else { throw .system("cannot read \(path) again") }
    return try PackSource.take(copy, path)
  }

  /// Flushes the file to the disk and renames it.
  package func publish() throws(PackError) {
    try flush()
    guard fsync(descriptor) == 0 else { throw .system("cannot make \(path) durable") }
    guard rename(temporary, path) == 0 else { throw .system("cannot name \(path)") }
    _ = close(descriptor)
    descriptor = -1
    syncFolder()
  }

  /// The new name must survive a power cut too.
  private func syncFolder() {
    let folder = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) : "."
    let handle = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { return }
    _ = fsync(handle)
    _ = close(handle)
  }

  /// Removes the temporary name: the file lives as long as it is open, and a crash leaves nothing behind.
  package func forgetName() { _ = unlink(temporary) }

  /// Discards the file; without effect after it was published.
  package func cancel() {
    guard descriptor >= 0 else { return }
    _ = close(descriptor)
    _ = unlink(temporary)
    descriptor = -1
  }
}
