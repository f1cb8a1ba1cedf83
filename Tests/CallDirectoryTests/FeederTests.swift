import CallDirectory
import CallerPack
import Foundation
import TestData
import Testing

@Suite struct FeederTests {
  let world: World
  init() throws { world = try World() }

  private func blocked(_ numbers: Int64...) -> Callers {
    Dictionary(uniqueKeysWithValues: numbers.map { ($0, Caller(blocks: true, label: nil)) })
  }

  @Test func theFirstRequestIsACompleteSetAndTheNextTheChanges() throws {
    try world.publish([
      1: Caller(blocks: true, label: nil), 2: Caller(blocks: false, label: "Two"),
      3: Caller(blocks: true, label: "Three"),
      9: Caller(blocks: false, label: "Nine"),
    ])
    let first = try world.reload()
    #expect(first.isClean && !first.isIncremental && first.removals == 0)
    #expect(world.held == world.expected)
    try world.publish([
      2: Caller(blocks: true, label: "Two"), 3: Caller(blocks: true, label: "Drei"),
      4: Caller(blocks: true, label: nil),
      9: Caller(blocks: false, label: "Nine"),
    ])
    let second = try world.reload()
    #expect(second.isClean && second.isIncremental)
    // Blocking 1 goes, 2 and 4 come; the name of 3 is removed and added.
    #expect(second.removals == 2 && second.blockingAdditions == 2 && second.identificationAdditions == 1)
    #expect(world.held == world.expected)
    let third = try world.reload()
    #expect(third.isClean && third.removals + third.blockingAdditions + third.identificationAdditions == 0)
    #expect(world.held == world.expected)
  }

  /// Between two requests of one load, the lists that the first replaced are lost.
  @Test func aLoadInPartsWhoseOldListsAreLostBeginsAnew() throws {
    try world.publish(blocked(1, 2, 3, 4, 5, 6, 7, 8))
    try world.reload()
    let old = try FileManager.default.contentsOfDirectory(atPath: world.store.path).filter { $0.hasSuffix(".pack") }
    try world.publish(blocked(11, 12, 13, 14, 15, 16, 17, 18))
    world.pageOperations = 4
    #expect(try world.reload().isClean && !world.feeder().isWhole())
    for name in old { try FileManager.default.removeItem(at: world.store.appendingPathComponent(name)) }
    for _ in 0..<6 where world.held != world.expected { #expect(try world.reload().isClean) }
    #expect(world.held == world.expected)
  }

  /// A name that leads elsewhere, such as `current.pack`: the store keeps the file and not the link.
  @Test func aPackBehindALinkIsKeptAsAFile() throws {
    try world.publish(blocked(1, 2, 3))
    let file = world.packs[0]
    let link = world.folder.appendingPathComponent("current.pack")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.lastPathComponent)
    world.packs[0] = link
    #expect(try world.reload().isClean && world.system.blocking == [1, 2, 3])
    try FileManager.default.removeItem(at: file)
    world.system.disableAndEnable()
    #expect(try world.reload().isClean && world.system.blocking == [1, 2, 3])
  }

  @Test func anExtensionThatWasOffGetsTheCompleteSetAgain() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    try FileManager.default.removeItem(at: world.packs[0])
    world.system.disableAndEnable()
    let outcome = try world.reload()
    #expect(outcome.isClean && world.system.blocking == [1, 2, 3], "the lists that were loaded are still kept")
  }

  @Test func whatIsLoadedIsNotTrustedAfterAFailure() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    #expect(try world.reload(killedAt: 8).fault == .interrupted)
    #expect(world.system.blocking.isEmpty && world.system.nextIsIncremental)
    let recovery = try world.reload()
    #expect(recovery.isClean && recovery.removals == 2 && recovery.blockingAdditions == 3)
    #expect(world.held == world.expected)
  }

  @Test func aRequestThatTheAppDidNotAnnounceIsACompleteSet() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    let outcome = world.system.reload(with: world.feeder())
    #expect(outcome.isClean && outcome.removals == 2 && outcome.blockingAdditions == 3)
    #expect(world.held == world.expected)
  }

  @Test func anExtensionThatDiesBeforeItsFirstStepIsNoticed() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    #expect(try world.reload(killedAt: 0).fault == .interrupted)
    let recovery = try world.reload()
    #expect(recovery.isClean && recovery.removals == 2 && world.held == world.expected)
  }

  @Test func aDamagedPackDoesNotEmptyThePhone() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    try world.publish(blocked(4, 5, 6, 7))
    var bytes = try Data(contentsOf: world.packs[0])
    bytes[bytes.count - 3] ^= 1
    bytes[bytes.count / 2] ^= 1
    // A new file: the old one is still linked into the store.
    try FileManager.default.removeItem(at: world.packs[0])
    try bytes.write(to: world.packs[0])
    try world.feeder().prepareReload()
    let request = world.system.beginRequest()
    let report = try world.feeder().feed(request)
    request.completeRequest { _ in }
    #expect(request.end().isClean && report.faults.count == 1 && report.mode == .changes)
    try world.feeder().settle()
    #expect(world.system.blocking == [1, 2, 3])
    try world.publish(blocked(4))
    #expect(try world.reload().isClean && world.system.blocking == [4])
  }

  @Test func aPackThatIsOverwrittenInPlaceIsNoBase() throws {
    try world.publish(blocked(1, 2, 3))
    try world.reload()
    let other = world.folder.appendingPathComponent("other.pack")
    try World.write(blocked(2, 3, 4), to: other)
    let handle = try FileHandle(forWritingTo: world.packs[0])
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(contentsOf: other))
    try handle.close()
    let outcome = try world.reload()
    #expect(outcome.isClean && outcome.blockingAdditions == 3 && world.system.blocking == [2, 3, 4])
  }

  @Test func nothingToLoadFailsTheRequest() throws {
    world.packs = [world.folder.appendingPathComponent("missing.pack")]
    let outcome = try world.reload()
    guard case .cancelled(let why) = outcome.fault else {
      Issue.record("the request ended as \(outcome)")
      return
    }
    #expect(why.contains("missing.pack"))
  }

  @Test func longListsTakeSeveralRequests() throws {
    world.pageOperations = 10
    world.system.requestAdditions = 10
    var generator = SeededGenerator(seed: 3)
    try world.publish(Lists.random(60, using: &generator))
    var reports: [CallDirectoryFeeder.Report] = []
    repeat {
      try world.feeder().prepareReload()
      let request = world.system.beginRequest()
      reports.append(try world.feeder().feed(request))
      request.completeRequest { _ in }
      #expect(request.end().isClean)
      try world.feeder().settle()
      // A newer list does not disturb a load under way.
      if reports.count == 2 { try world.publish(Lists.random(60, using: &generator)) }
    } while reports.last?.isWhole == false && reports.count < 40
    #expect(
      reports.count > 4 && reports.first?.mode == .complete && reports.dropFirst().allSatisfy { $0.mode == .changes })
    for _ in 0..<40 where world.held != world.expected { #expect(try world.reload().isClean) }
    #expect(world.held == world.expected)
  }

  @Test func packsMergeByPriority() throws {
    try world.publish([5: Caller(blocks: false, label: "First"), 6: Caller(blocks: true, label: nil)], at: 0)
    try world.publish([5: Caller(blocks: true, label: "Second"), 6: Caller(blocks: false, label: "Six")], at: 1)
    #expect(try world.reload().isClean)
    #expect(world.held == [5: Caller(blocks: true, label: "First"), 6: Caller(blocks: true, label: "Six")])
    world.packs.swapAt(0, 1)
    #expect(try world.reload().isClean)
    #expect(world.held[5] == Caller(blocks: true, label: "Second"))
  }

  @Test func theUsersWordGoesFirst() throws {
    try world.publish([
      1: Caller(blocks: true, label: "Pack"), 2: Caller(blocks: true, label: nil),
      3: Caller(blocks: false, label: "Shop"),
    ])
    try world.personalList.removeBlocked(1)
    try world.personalList.identify(2, label: "Aunt")
    try world.personalList.removeIdentified(3)
    try world.personalList.block(7)
    try world.savePersonalList()
    #expect(try world.reload().isClean)
    #expect(
      world.held == [
        1: Caller(blocks: false, label: "Pack"), 2: Caller(blocks: true, label: "Aunt"),
        7: Caller(blocks: true, label: nil),
      ])
    world.personalList.forget(3)
    try world.personalList.removeBlocked(7)
    try world.personalList.identify(2, label: "Uncle")
    try world.savePersonalList()
    #expect(try world.reload().isClean)
    #expect(world.held == world.expected && world.held[2]?.label == "Uncle" && world.held[7] == nil)
  }

  @Test func theStoreKeepsOnlyWhatItNeeds() throws {
    for night in 1...5 {
      try world.publish(blocked(Int64(night), 100))
      #expect(try world.reload().isClean)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: world.store.path)
    #expect(names.count == 2 && names.contains("ledger"))
  }

  @Test func theAppMaySettleWhatTheExtensionCouldNot() throws {
    try world.publish(blocked(1, 2))
    let steps = KillSwitch()
    let twin = try World()
    try twin.publish(blocked(1, 2))
    try twin.reload(killedBy: steps)
    // Find the step after which the system has the list and the ledger has not: there the app's word helps.
    for step in (0..<steps.steps).reversed() {
      let world = try World()
      try world.publish(blocked(1, 2))
      guard try world.reload(killedAt: step).fault == nil else { continue }
      try world.feeder().settle()
      let next = try world.reload()
      #expect(next.isClean && world.system.blocking == [1, 2])
    }
  }

  @Test func aStoreOnAnotherDiskGetsCopies() throws {
    try world.publish(blocked(1, 2, 3))
    let store = FileManager.default.temporaryDirectory.appendingPathComponent("ringfence-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: store) }
    let feeder = CallDirectoryFeeder(store: store, packs: world.packs)
    #expect(world.system.reload(with: feeder).isClean && world.held == world.expected)
    // The store's own file serves when the pack is gone, link or copy.
    try FileManager.default.removeItem(at: world.packs[0])
    world.system.disableAndEnable()
    #expect(world.system.reload(with: feeder).isClean && world.held == world.expected)
  }
}
