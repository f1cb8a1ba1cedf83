// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Synchronization
import Testing

@testable import Support

/// The umask is the process's, so each test sets it in a process of its own.
@Suite struct PrivateFileTests {
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test func `a private file is readable by its owner only from its creation`() async throws {
    try await withTemporaryFolder { folder in
      _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
        umask(0)
        try PrivateFile.makeFolder("\(folder)/above/private")
        #expect(Self.mode("\(folder)/above/private") == 0o700)
        let file = "\(folder)/above/private/key"
        let descriptor = try PrivateFile.open(new: file)
        #expect(Self.mode(file) == 0o600)
        close(descriptor)
        try PrivateFile.create("\(file).2", Data("secret\n".utf8))
        #expect(Self.mode("\(file).2") == 0o600)
        #expect(FileManager.default.contents(atPath: "\(file).2") == Data("secret\n".utf8))
        _ = try FolderLock(folder: folder)
        #expect(Self.mode("\(folder)/.lock") == 0o600)
      }
    }
  }

  @Test func `an existing path is refused`() async throws {
    try await withTemporaryFolder { folder in
      let file = "\(folder)/key"
      #expect(symlink("\(folder)/elsewhere", file) == 0)
      #expect(throws: FileFailure(path: file, code: EEXIST)) { try PrivateFile.create(file, Data()) }
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/elsewhere"))
      #expect(throws: FileFailure(path: file, code: ENOTDIR)) { try PrivateFile.makeFolder(file) }
      try PrivateFile.makeFolder(folder)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user: run as root too"))
  func `another account cannot hold a lock`() async throws {
    try await withTemporaryFolder { folder in
      chmod(folder, 0o755)
      let lock = try FolderLock(folder: folder)
      withExtendedLifetime(lock) {}
      _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
        try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
        #expect(access(folder, X_OK) == 0)
        for flags in [O_RDONLY, O_RDWR] { #expect(open("\(folder)/.lock", flags) == -1 && errno == EACCES) }
      }
    }
  }

  @Test func `only one process at a time holds a lock`() async throws {
    try await withTemporaryFolder { folder in
      let first = try FolderLock(folder: folder)
      #expect { _ = try FolderLock(folder: folder) } throws: { ($0 as? FileFailure)?.isHeld == true }
      withExtendedLifetime(first) {}
    }
  }

  /// A second close would close what another thread has opened in between, such as the socket of a connection.
  @Test func `a refused lock closes its file once`() async throws {
    try await withTemporaryFolder { folder in
      let lock = try FolderLock(folder: folder)
      let isOver = Atomic(false)
      async let lost = {
        var lost = 0
        while !isOver.load(ordering: .relaxed) {
          let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
          if close(descriptor) != 0 { lost += 1 }
        }
        return lost
      }()
      for _ in 0..<20_000 { #expect(throws: FileFailure.self) { try FolderLock(folder: folder) } }
      isOver.store(true, ordering: .relaxed)
      #expect(await lost == 0)
      withExtendedLifetime(lock) {}
    }
  }
}
