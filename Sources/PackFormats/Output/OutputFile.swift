internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A file that appears under its name as a whole or not at all: bytes go to a temporary file beside it,
/// which is flushed to the disk and renamed by ``commit()``.
///
/// Standard output is written as it comes, and `commit` does nothing for it.
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

  /// Where a file of this name is written: a symbolic link stays, and the file that it leads to is replaced.
  ///
  /// What is there and no regular file, such as a folder or a device, is refused: a rename would put a file in its
  /// place.
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

  /// A name in the folder of `url` that no other export uses.
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

  /// Makes what was written durable and gives it its name.
  func commit() throws {
    guard let temporary else { return }
    guard fsync(descriptor) == 0 else { throw PackFormatError.file(path: path, operation: "flush", code: errno) }
    close(descriptor)
    descriptor = -1
    try Self.rename(temporary, to: path)
  }

  /// Renames within a folder, and makes the new name durable.
  static func rename(_ temporary: String, to path: String) throws {
    #if canImport(Darwin)
      let result = Darwin.rename(temporary, path)
    #else
      let result = Glibc.rename(temporary, path)
    #endif
    guard result == 0 else { throw PackFormatError.file(path: path, operation: "rename to", code: errno) }
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // A file system that cannot flush a folder says so; the file itself is safe by then.
    _ = fsync(folder)
    close(folder)
  }

  deinit {
    guard let temporary, descriptor >= 0 else { return }
    close(descriptor)
    unlink(temporary)
  }
}
