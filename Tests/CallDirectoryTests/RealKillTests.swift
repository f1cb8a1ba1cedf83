// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import Foundation
import Testing

#if os(Linux)
  /// Repeats a simulated kill with a process that is really killed.
  @Suite struct RealKillTests {
    @Test func `a killed process leaves a store that is not trusted`() async throws {
      let phone = try PhoneFixture()
      try phone.publish([1: Caller(blocks: true, label: nil), 2: Caller(blocks: false, label: "Two")])
      try phone.reload()
      try phone.publish([2: Caller(blocks: true, label: "Zwei"), 3: Caller(blocks: true, label: nil)])
      try phone.loader().prepareReload()
      setenv("RINGFENCE_KILL_TEST", phone.folder.path, 1)
      defer { unsetenv("RINGFENCE_KILL_TEST") }
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["RINGFENCE_KILL_TEST"]))
        let loader = ExtensionLoader(
          store: folder.appendingPathComponent("store"), packs: [folder.appendingPathComponent("list0.pack")])
        loader.serve(DeadlyContext())
      }
      // The system has deleted every entry, and still requests only changes.
      let request = phone.system.beginRequest()
      #expect(request.end().fault == .interrupted && phone.held.isEmpty && phone.system.nextIsIncremental)
      let recovery = try phone.reload()
      #expect(recovery.isClean && recovery.removals == 2)
      #expect(phone.held == phone.expected && phone.held.count == 2)
    }
  }

  /// A context whose process is killed at the first addition.
  private final class DeadlyContext: CallDirectoryContext {
    let isIncremental = true
    func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64) { kill(getpid(), SIGKILL) }
    func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String) {}
    func removeBlockingEntry(withPhoneNumber phoneNumber: Int64) {}
    func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64) {}
    func removeAllBlockingEntries() {}
    func removeAllIdentificationEntries() {}
    func completeRequest(then: @escaping @Sendable (_ expired: Bool) -> Void) {}
    func cancelRequest(withError error: any Error) {}
  }
#endif
