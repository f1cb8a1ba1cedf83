// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import ServerSupport

/// Programs that end, hang, print and leave others behind.
@Suite struct ExternalProgramTests {
  private struct Refusal: Error {}

  private func shell(
    _ script: String, limit: Duration? = .seconds(60), receive: (@Sendable (Data) throws -> Void)? = nil
  ) async throws -> (status: Int32, output: String, isOverdue: Bool) {
    try await ExternalProgram.run("/bin/sh", ["-c", script], limit: limit, receive: receive)
  }

  @Test func `output, exit code and limit of a program are known`() async throws {
    let ended = try await shell("echo one; echo two >&2; exit 3")
    #expect(ended.status == 3 && ended.output == "one\ntwo\n" && !ended.isOverdue)
    let endless = try await shell("yes 0123456789", limit: .seconds(1))
    #expect(endless.isOverdue && endless.output.utf8.count == 1 << 20)
  }

  /// Ends a program whose identifier is in the output of its parent. Until then the parent is a zombie, for which tests of
  /// processes that exit wait.
  private func end(_ output: String) {
    guard let child = output.split(separator: "\n").compactMap({ pid_t($0) }).first else { return }
    kill(child, SIGKILL)
    kill(-child, SIGKILL)
  }

  @Test(arguments: ["sleep 300 &", "setsid sleep 300 &", "setsid timeout 30 yes &"])
  func `a program that another one leaves behind is not waited for`(_ child: String) async throws {
    let ended = try await shell("\(child) echo $!; exit 0", limit: .seconds(200))
    #expect(ended.status == 0 && !ended.isOverdue)
    end(ended.output)
  }

  @Test func `a program in a session of its own does not outlast the limit`() async throws {
    let begin = ContinuousClock.now
    let ended = try await shell("setsid sleep 600 & echo $!; wait", limit: .seconds(1))
    #expect(ended.isOverdue && ContinuousClock.now - begin < .seconds(600))
    end(ended.output)
  }

  @Test func `parts of the output are received until one is refused`() async throws {
    let sum = Mutex(0)
    let ended = try await shell("head -c 1000000 /dev/zero; echo text >&2") { data in
      sum.withLock { $0 += data.count }
    }
    #expect(ended.status == 0 && ended.output.isEmpty && sum.withLock { $0 } == 1_000_000)
    await #expect(throws: Refusal.self) {
      try await shell("yes") { _ in throw Refusal() }
    }
  }
}
