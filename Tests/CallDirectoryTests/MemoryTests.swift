// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import Foundation
import Testing

#if os(Linux)
  /// The extension's memory, measured in a process of its own.
  @Suite struct MemoryTests {
    /// The memory limit of the extension; the reader's own limit is far below it.
    private static let budget = 5 << 20

    /// Two lists of 25,000 numbers. Half of the second is in the first, and most names are unique.
    private static func callers(_ first: Int64, night: Int64) -> Callers {
      var callers: Callers = [:]
      for index in 0..<25_000 as Range<Int64> {
        let number = 33_100_000_000 + first + index * 7
        let label = index % 9 == night ? nil : "Caller \(number % 9_973) of street \(index % 977)"
        callers[number] = Caller(blocks: label == nil || index % 3 == 0, label: label)
      }
      return callers
    }

    @Test func `a load stays within the memory budget`() async throws {
      let phone = try PhoneFixture()
      try phone.publish(Self.callers(0, night: 1), at: 0)
      try phone.publish(Self.callers(87_500, night: 1), at: 1)
      try phone.personalList.block(33_100_000_003)
      try phone.savePersonalList()
      // The environment is the only way to tell the child its folder.
      setenv("RINGFENCE_MEMORY_TEST", phone.folder.path, 1)
      defer { unsetenv("RINGFENCE_MEMORY_TEST") }
      let complete = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
      ) {
        try MemoryTests.load(.complete)
      }
      print(String(decoding: (complete?.standardOutputContent ?? []), as: UTF8.self))
      // Another process: memory that the first load has freed would be used again unnoticed.
      try phone.publish(Self.callers(0, night: 2), at: 0)
      let changes = await #expect(
        processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
      ) {
        try MemoryTests.load(.changes)
      }
      print(String(decoding: (changes?.standardOutputContent ?? []), as: UTF8.self))
    }

    /// One request in this process.
    private static func load(_ mode: ExtensionLoader.Report.Mode) throws {
      let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["RINGFENCE_MEMORY_TEST"]))
      let loader = ExtensionLoader(
        store: folder.appendingPathComponent("store"),
        packs: [folder.appendingPathComponent("list0.pack"), folder.appendingPathComponent("list1.pack")],
        personal: folder.appendingPathComponent("personal"))
      let phone = CallDirectorySimulator(keepsEntries: false)
      phone.nextIsIncremental = mode == .changes
      try loader.prepareReload()
      let before = try #require(ProcessMemory.now()).anonymousBytes
      var highest = before
      let request = phone.beginRequest(batch: 500) {
        highest = max(highest, ProcessMemory.now()?.anonymousBytes ?? 0)
      }
      let report = try loader.load(request)
      request.completeRequest { _ in }
      #expect(request.end().isClean && report.isComplete && report.mode == mode)
      try loader.confirmReload()
      let growth = max(highest, try #require(ProcessMemory.now()).anonymousBytes) - before
      print("memory: \(mode), \(report.blockingAdded + report.identificationAdded) additions, \(growth >> 10) KB")
      #expect(growth < budget, "\(mode): \(growth >> 10) KB")
    }
  }
#endif
