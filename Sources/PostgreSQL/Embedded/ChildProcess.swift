// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CSpawn
import Support
import Foundation
import Synchronization

/// A program started by this process, in its own session, which a terminal's Ctrl-C does not reach.
///
/// It begins in `/` with a clean environment, default signals and no open files except those given.
final class ChildProcess: Sendable {
  /// The descriptor of the folder that is passed to a child.
  static let handedFolder: Int32 = 3

  let pid: pid_t
  private let ended = DispatchGroup()
  private let status = Mutex<Int32?>(nil)

  /// Starts a program.
  /// - Parameters:
  ///   - arguments: the program's absolute path and its arguments.
  ///   - output: receives its standard output and error.
  ///   - folder: an open folder, which it gets as descriptor ``handedFolder``.
  ///   - onEnd: called once, on a separate thread, with its process id and the status of wait(2).
  /// - Throws: ``EmbeddedPostgresError/binariesUnusable(path:reason:)``.
  init(
    _ arguments: [String], output: Int32, folders: [Int32] = [],
    onEnd: @escaping @Sendable (pid_t, Int32) -> Void = { _, _ in }
  ) throws(EmbeddedPostgresError) {
    let output = fcntl(output, F_DUPFD_CLOEXEC, 10)
    let folders = folders.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    defer { for descriptor in [output] + folders { close(descriptor) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    for (folder, number) in zip(folders, Self.handedFolder...) {
      posix_spawn_file_actions_adddup2(&actions, folder, number)
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, Self.handedFolder + Int32(folders.count))
    posix_spawn_file_actions_addchdir_np(&actions, "/")

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var pid = pid_t()
    let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"]
    let failure = Self.withCStrings(arguments) { arguments in
      Self.withCStrings(environment) { posix_spawn(&pid, arguments[0]!, &actions, &attributes, arguments, $0) }
    }
    guard failure == 0 else {
      throw .binariesUnusable(path: arguments[0], reason: String(cString: strerror(failure)))
    }
    self.pid = pid
    ended.enter()
    startThread { [self] in
      var result: Int32 = 0
      _ = uninterrupted { Int(waitpid(self.pid, &result, 0)) }
      status.withLock { $0 = result }
      ended.leave()
      onEnd(self.pid, result)
    }
  }

  /// Whether it has ended, after waiting at most this many seconds.
  func hasEnded(within seconds: Double) -> Bool { ended.wait(timeout: .now() + seconds) == .success }

  /// Waits for its end and returns the status of wait(2).
  func waitForEnd() -> Int32 {
    ended.wait()
    return status.withLock { $0 ?? 0 }
  }

  /// Sends a signal, unless the process has ended.
  func signal(_ number: Int32) {
    status.withLock { if $0 == nil { _ = kill(pid, number) } }
  }

  /// The text of a status of wait(2), such as "exit code 1" or "signal 9".
  static func describe(_ status: Int32) -> String {
    status & 0x7f == 0 ? "exit code \((status >> 8) & 0xff)" : "signal \(status & 0x7f)"
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}

extension ChildProcess {
  /// Runs a program to its end and returns its status and the last 64 KiB of its output.
  /// - Throws: ``EmbeddedPostgresError/binariesUnusable(path:reason:)``.
  static func run(
    _ arguments: [String], folders: [Int32] = []
  ) throws(EmbeddedPostgresError) -> (status: Int32, output: String) {
    var ends: [Int32] = [0, 0]
    guard pipe2(&ends, O_CLOEXEC) == 0 else {
      throw .binariesUnusable(path: arguments[0], reason: SystemError.current)
    }
    defer { close(ends[0]) }
    let child: ChildProcess
    do {
      defer { close(ends[1]) }
      child = try ChildProcess(arguments, output: ends[1], folders: folders)
    }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = uninterrupted { read(ends[0], &chunk, chunk.count) }
      guard count > 0 else { break }
      output += chunk[..<count]
      if output.count > 128 << 10 { output.removeFirst(output.count - 64 << 10) }
    }
    return (child.waitForEnd(), String(decoding: output, as: UTF8.self))
  }
}
