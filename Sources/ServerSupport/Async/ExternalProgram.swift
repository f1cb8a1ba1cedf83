// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// Runs other programs to their end.
package enum ExternalProgram {
  /// Maximum of the output that is kept, in bytes.
  private static let maxOutput = 1 << 20

  /// The most bytes of standard input: what a pipe holds before anybody reads it.
  package static let maxInput = 60_000

  /// The variables of this process without the secrets of the server, such as `RINGFENCE_MAIL_PASSWORD`.
  package static var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { !isSecret($0.key) }
  }

  /// Whether a variable has a secret of the server, or belongs to its service manager.
  package static func isSecret(_ variable: String) -> Bool {
    // The address of a gateway or a webhook may have a token.
    [
      "DATABASE_URL", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "RINGFENCE_OWNER_CODES",
      "RINGFENCE_WEBHOOK_URL",
    ].contains(variable)
      || variable.hasPrefix("RINGFENCE_")
        && ["_KEY", "_SECRET", "_PASSWORD", "_TOKEN"].contains { variable.hasSuffix($0) }
  }

  /// Runs a program, and ends it with all programs of its process group after the limit or when the task is canceled.
  /// - Parameters:
  ///   - path: of the executable file.
  ///   - input: its standard input, at most ``maxInput`` bytes.
  ///   - limit: nil for none.
  ///   - receive: takes the standard output in parts; then nothing of it is kept, nor of the standard error. The program
  ///     is ended where this throws.
  /// - Returns: its exit code, or the number of the signal that ended it; the last megabyte of its standard output
  ///   and error; and whether it was ended because of the limit.
  /// - Throws: errors of Foundation where it cannot be started; of `receive`; `CancellationError`.
  package static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = ExternalProgram.environment,
    input: Data = Data(), limit: Duration? = nil, receive: (@Sendable (Data) throws -> Void)? = nil
  ) async throws -> (status: Int32, output: String, isOverdue: Bool) {
    precondition(input.count <= maxInput, "the input does not fit into a pipe")
    let child = Child()
    return try await withTaskCancellationHandler {
      let timer = limit.map { limit in
        Task {
          try await Task.sleep(for: limit)
          child.end(isOverdue: true)
        }
      }
      defer { timer?.cancel() }
      let (status, output) = try await runOnThread {
        // The pool's threads block signals, and child processes inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        pthread_sigmask(SIG_SETMASK, &signals, nil)
        let (process, standardInput, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = environment
        // Of another account: the home folder of the person who runs `sudo -u ringfence`. Nothing starts in it.
        if access(".", X_OK) != 0 { process.currentDirectoryURL = URL(filePath: "/") }
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = receive == nil ? output : FileHandle.nullDevice
        // Before the start, so that a program that reads nothing cannot break the pipe under the write.
        try standardInput.fileHandleForWriting.write(contentsOf: input)
        try process.run()
        try standardInput.fileHandleForWriting.close()
        child.begin(process.processIdentifier)
        var kept = Data()
        let result = Result {
          try read(output.fileHandleForReading.fileDescriptor, of: process) { data in
            if let receive { return try receive(data) }
            kept.append(data)
            if kept.count > 2 * maxOutput { kept = Data(kept.suffix(maxOutput)) }
          }
        }
        if case .failure = result { child.end(isOverdue: false) }
        while true {
          if let code = ending(of: process) {
            try result.get()
            return (code, String(decoding: kept.suffix(maxOutput), as: UTF8.self))
          }
          usleep(5_000)
        }
      }
      let isOverdue = child.finish()
      try Task.checkCancellation()
      return (status, output, isOverdue)
    } onCancel: {
      child.end(isOverdue: false)
    }
  }

  /// Reads until the program has ended. A program that it leaves behind, in a session of its own, may keep the pipe open.
  private static func read(_ pipe: Int32, of process: Process, _ take: (Data) throws -> Void) throws {
    // A pipe holds no more, so that one read after the end returns everything.
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var hasEnded = false
    while !hasEnded {
      hasEnded = ending(of: process) != nil
      var place = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      guard poll(&place, 1, hasEnded ? 0 : 50) > 0 else { continue }
      let count = Foundation.read(pipe, &buffer, buffer.count)
      if count > 0 { try take(Data(buffer[..<count])) }
      guard count > 0 || errno == EINTR && count < 0 else { return }
    }
  }

  /// The exit code, or the number of the signal that ended a program; nil while it runs. Foundation waits for the programs
  /// that it leaves behind, too.
  private static func ending(of process: Process) -> Int32? {
    var information = siginfo_t()
    if waitid(P_PID, id_t(process.processIdentifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0 {
      return information.si_signo == SIGCHLD ? information._sifields._sigchld.si_status : nil
    }
    // Foundation has taken the status.
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// A process that may be ended from another thread.
  private final class Child: Sendable {
    private struct State {
      var identifier: pid_t?
      var (isEnding, isOverdue, isFinished) = (false, false, false)
    }

    private let state = Mutex(State())

    func begin(_ identifier: pid_t) {
      let isEnding = state.withLock {
        $0.identifier = identifier
        return $0.isEnding
      }
      if isEnding { kill(-identifier, SIGKILL) }
    }

    func end(isOverdue: Bool) {
      state.withLock {
        guard !$0.isFinished else { return }
        $0.isEnding = true
        if isOverdue { $0.isOverdue = true }
        // Foundation gives each process a group of its own.
        if let identifier = $0.identifier { kill(-identifier, SIGKILL) }
      }
    }

    /// - Returns: whether it was overdue.
    func finish() -> Bool {
      state.withLock {
        $0.isFinished = true
        return $0.isOverdue
      }
    }
  }
}
