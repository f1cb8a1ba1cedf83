// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import CallerPack
import CallerPackBuilder
import Foundation
import TestData
import Testing

@Suite struct ExtensionLoaderTests {
  let phone: PhoneFixture
  init() throws { phone = try PhoneFixture() }

  private func blocked(_ numbers: Int64...) -> Callers {
    Dictionary(uniqueKeysWithValues: numbers.map { ($0, Caller(blocks: true, label: nil)) })
  }

  @Test func `the first request loads the complete set and later requests load the changes`() throws {
    try phone.publish([
      1: Caller(blocks: true, label: nil), 2: Caller(blocks: false, label: "Two"),
      3: Caller(blocks: true, label: "Three"),
      9: Caller(blocks: false, label: "Nine"),
    ])
    let first = try phone.reload()
    #expect(first.isClean && !first.isIncremental && first.removals == 0)
    #expect(phone.held == phone.expected)
    try phone.publish([
      2: Caller(blocks: true, label: "Two"), 3: Caller(blocks: true, label: "Drei"),
      4: Caller(blocks: true, label: nil),
      9: Caller(blocks: false, label: "Nine"),
    ])
    let second = try phone.reload()
    #expect(second.isClean && second.isIncremental)
    // Blocking 1 is removed, 2 and 4 are added; the name of 3 is removed and added.
    #expect(second.removals == 2 && second.blockingAdditions == 2 && second.identificationAdditions == 1)
    #expect(phone.held == phone.expected)
    let third = try phone.reload()
    #expect(third.isClean && third.removals + third.blockingAdditions + third.identificationAdditions == 0)
    #expect(phone.held == phone.expected)
  }

  @Test func `the longest ranges are left out where an extension has no room`() throws {
    let file = phone.folder.appendingPathComponent("ranges.rfpack")
    let writer = try PackWriter(path: file.path, options: .init(kind: .blocking))
    for range in [5...5, 100...249, 1_000...2_999, 5_000...5_499, 9_000...9_001] as [ClosedRange<Int64>] {
      try writer.append(range)
    }
    try writer.finish()
    let store = phone.folder.appendingPathComponent("limited")
    for (maximum, count, leftOut) in [(10_000, 2_653, 0), (700, 653, 2_000), (652, 153, 2_500), (1, 3, 2_650)] {
      try? FileManager.default.removeItem(at: store)
      let loader = ExtensionLoader(store: store, packs: [file], maximumEntries: maximum)
      let system = CallDirectorySimulator()
      let outcome = system.reload(with: loader)
      #expect(outcome.isClean && outcome.blockingAdditions == count, "\(maximum): \(outcome)")
      #expect(2_653 - count == leftOut)
    }
  }

  /// Between two requests of one load, the lists that the first request replaced are lost.
  @Test func `a load in parts starts again when its old lists are lost`() throws {
    try phone.publish(blocked(1, 2, 3, 4, 5, 6, 7, 8))
    try phone.reload()
    let old = try FileManager.default.contentsOfDirectory(atPath: phone.store.path).filter { $0.hasSuffix(".pack") }
    try phone.publish(blocked(11, 12, 13, 14, 15, 16, 17, 18))
    phone.pageOperations = 4
    #expect(try phone.reload().isClean && !phone.loader().isComplete())
    for name in old { try FileManager.default.removeItem(at: phone.store.appendingPathComponent(name)) }
    for _ in 0..<6 where phone.held != phone.expected { #expect(try phone.reload().isClean) }
    #expect(phone.held == phone.expected)
  }

  /// A symbolic link that changes, such as `current.pack`: the store keeps the file and not the link.
  @Test func `a pack behind a symbolic link is kept as a file`() throws {
    try phone.publish(blocked(1, 2, 3))
    let file = phone.packs[0]
    let link = phone.folder.appendingPathComponent("current.pack")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.lastPathComponent)
    phone.packs[0] = link
    #expect(try phone.reload().isClean && phone.system.blocking == [1, 2, 3])
    try FileManager.default.removeItem(at: file)
    phone.system.disableAndEnable()
    #expect(try phone.reload().isClean && phone.system.blocking == [1, 2, 3])
  }

  @Test func `an extension that was disabled loads the complete set again`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    try FileManager.default.removeItem(at: phone.packs[0])
    phone.system.disableAndEnable()
    let outcome = try phone.reload()
    #expect(outcome.isClean && phone.system.blocking == [1, 2, 3], "the lists that were loaded are still kept")
  }

  @Test func `the load after a failure removes and adds everything again`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    #expect(try phone.reload(killedAt: 8).fault == .interrupted)
    #expect(phone.system.blocking.isEmpty && phone.system.nextIsIncremental)
    let recovery = try phone.reload()
    #expect(recovery.isClean && recovery.removals == 2 && recovery.blockingAdditions == 3)
    #expect(phone.held == phone.expected)
  }

  @Test func `a request that the app did not announce loads the complete set`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    let outcome = phone.system.reload(with: phone.loader())
    #expect(outcome.isClean && outcome.removals == 2 && outcome.blockingAdditions == 3)
    #expect(phone.held == phone.expected)
  }

  @Test func `an extension that dies before its first step is detected`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    #expect(try phone.reload(killedAt: 0).fault == .interrupted)
    let recovery = try phone.reload()
    #expect(recovery.isClean && recovery.removals == 2 && phone.held == phone.expected)
  }

  @Test func `a damaged pack leaves the loaded numbers unchanged`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    try phone.publish(blocked(4, 5, 6, 7))
    var bytes = try Data(contentsOf: phone.packs[0])
    bytes[bytes.count - 3] ^= 1
    bytes[bytes.count / 2] ^= 1
    // A new file: the old one is still linked into the store.
    try FileManager.default.removeItem(at: phone.packs[0])
    try bytes.write(to: phone.packs[0])
    try phone.loader().prepareReload()
    let request = phone.system.beginRequest()
    let report = try phone.loader().load(request)
    request.completeRequest { _ in }
    #expect(request.end().isClean && report.faults.count == 1 && report.mode == .changes)
    try phone.loader().confirmReload()
    #expect(phone.system.blocking == [1, 2, 3])
    try phone.publish(blocked(4))
    #expect(try phone.reload().isClean && phone.system.blocking == [4])
  }

  @Test func `a pack that is overwritten in place is not used as a base`() throws {
    try phone.publish(blocked(1, 2, 3))
    try phone.reload()
    let other = phone.folder.appendingPathComponent("other.pack")
    try PhoneFixture.write(blocked(2, 3, 4), to: other)
    let handle = try FileHandle(forWritingTo: phone.packs[0])
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(contentsOf: other))
    try handle.close()
    let outcome = try phone.reload()
    #expect(outcome.isClean && outcome.blockingAdditions == 3 && phone.system.blocking == [2, 3, 4])
  }

  @Test func `a request without a readable pack fails and names the pack`() throws {
    phone.packs = [phone.folder.appendingPathComponent("missing.pack")]
    let outcome = try phone.reload()
    guard case .cancelled(let why) = outcome.fault else {
      Issue.record("the request ended as \(outcome)")
      return
    }
    #expect(why.contains("missing.pack"))
  }

  @Test func `a long list takes several requests`() throws {
    phone.pageOperations = 10
    phone.system.requestAdditions = 10
    var generator = SeededGenerator(seed: 3)
    try phone.publish(Lists.random(60, using: &generator))
    var reports: [ExtensionLoader.Report] = []
    repeat {
      try phone.loader().prepareReload()
      let request = phone.system.beginRequest()
      reports.append(try phone.loader().load(request))
      request.completeRequest { _ in }
      #expect(request.end().isClean)
      try phone.loader().confirmReload()
      // A newer list does not disturb a running load.
      if reports.count == 2 { try phone.publish(Lists.random(60, using: &generator)) }
    } while reports.last?.isComplete == false && reports.count < 40
    #expect(
      reports.count > 4 && reports.first?.mode == .complete && reports.dropFirst().allSatisfy { $0.mode == .changes })
    for _ in 0..<40 where phone.held != phone.expected { #expect(try phone.reload().isClean) }
    #expect(phone.held == phone.expected)
  }

  @Test func `packs merge by priority`() throws {
    try phone.publish([5: Caller(blocks: false, label: "First"), 6: Caller(blocks: true, label: nil)], at: 0)
    try phone.publish([5: Caller(blocks: true, label: "Second"), 6: Caller(blocks: false, label: "Six")], at: 1)
    #expect(try phone.reload().isClean)
    #expect(phone.held == [5: Caller(blocks: true, label: "First"), 6: Caller(blocks: true, label: "Six")])
    phone.packs.swapAt(0, 1)
    #expect(try phone.reload().isClean)
    #expect(phone.held[5] == Caller(blocks: true, label: "Second"))
  }

  @Test func `the personal list has priority over packs`() throws {
    try phone.publish([
      1: Caller(blocks: true, label: "Pack"), 2: Caller(blocks: true, label: nil),
      3: Caller(blocks: false, label: "Shop"),
    ])
    try phone.personalList.removeBlocked(1)
    try phone.personalList.identify(2, label: "Aunt")
    try phone.personalList.removeIdentified(3)
    try phone.personalList.block(7)
    try phone.savePersonalList()
    #expect(try phone.reload().isClean)
    #expect(
      phone.held == [
        1: Caller(blocks: false, label: "Pack"), 2: Caller(blocks: true, label: "Aunt"),
        7: Caller(blocks: true, label: nil),
      ])
    phone.personalList.forget(3)
    try phone.personalList.removeBlocked(7)
    try phone.personalList.identify(2, label: "Uncle")
    try phone.savePersonalList()
    #expect(try phone.reload().isClean)
    #expect(phone.held == phone.expected && phone.held[2]?.label == "Uncle" && phone.held[7] == nil)
  }

  @Test func `the store keeps only the current pack and the ledger`() throws {
    for night in 1...5 {
      try phone.publish(blocked(Int64(night), 100))
      #expect(try phone.reload().isClean)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: phone.store.path)
    #expect(names.count == 2 && names.contains("ledger"))
  }

  @Test func `the app can confirm a load that the extension did not`() throws {
    try phone.publish(blocked(1, 2))
    let steps = KillSwitch()
    let twin = try PhoneFixture()
    try twin.publish(blocked(1, 2))
    try twin.reload(killedBy: steps)
    // Finds the step after which the system has the list and the ledger does not: there the app's confirmation helps.
    for step in (0..<steps.steps).reversed() {
      let phone = try PhoneFixture()
      try phone.publish(blocked(1, 2))
      guard try phone.reload(killedAt: step).fault == nil else { continue }
      try phone.loader().confirmReload()
      let next = try phone.reload()
      #expect(next.isClean && phone.system.blocking == [1, 2])
    }
  }

  @Test func `a store on another disk keeps copies of the packs`() throws {
    try phone.publish(blocked(1, 2, 3))
    let store = FileManager.default.temporaryDirectory.appendingPathComponent("ringfence-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: store) }
    let loader = ExtensionLoader(store: store, packs: phone.packs)
    #expect(phone.system.reload(with: loader).isClean && phone.held == phone.expected)
    // The store's own file, a link or a copy, is used when the pack is gone.
    try FileManager.default.removeItem(at: phone.packs[0])
    phone.system.disableAndEnable()
    #expect(phone.system.reload(with: loader).isClean && phone.held == phone.expected)
  }
}
