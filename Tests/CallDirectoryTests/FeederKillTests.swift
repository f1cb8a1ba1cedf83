import CallDirectory
import Foundation
import TestData
import Testing

/// The extension's process is killed at every step of a request: every call to the system, every durable
/// operation of the store. Afterwards ordinary reloads must bring the phone to the right lists, whatever the
/// system believes about its own store.
@Suite struct FeederKillTests {
  enum Scenario: String, CaseIterable {
    case firstLoad, changes, replacing, firstPage, laterPage, changesInPages
  }

  /// What the system does after the kill.
  enum Recovery: CaseIterable {
    case changes, complete, unannounced
  }

  /// Create the folder; create, write, flush and rename the ledger.
  private static let stepsUntilFeedingIsKnown = 5

  private func world(_ scenario: Scenario) throws -> World {
    let world = try World()
    var generator = SeededGenerator(seed: 21)
    try world.publish(Lists.random(14, within: 1...40, using: &generator), at: 0)
    try world.publish(Lists.random(8, within: 1...40, using: &generator), at: 1)
    try world.personalList.block(17)
    try world.personalList.removeBlocked(18)
    try world.savePersonalList()
    let change = {
      try world.publish(Lists.random(14, within: 1...40, using: &generator), at: 0)
      try world.personalList.identify(19, label: "Neighbour")
      try world.savePersonalList()
    }
    switch scenario {
    case .firstLoad: break
    case .changes:
      try world.reload()
      try change()
    case .replacing:
      try world.reload()
      #expect(try world.reload(killedAt: 6).fault == .interrupted)
      try change()
    case .firstPage: world.pageOperations = 9
    case .laterPage:
      world.pageOperations = 9
      try world.reload()
      try change()
    case .changesInPages:
      try world.reload()
      world.pageOperations = 7
      try change()
    }
    return world
  }

  @Test(arguments: Scenario.allCases) func everyStepMayBeTheLast(scenario: Scenario) throws {
    var step = 0
    var wasKilled = true
    var interrupted = 0
    while wasKilled {
      for recovery in Recovery.allCases {
        // A request that the app did not announce can only tell from what the killed one wrote first.
        if recovery == .unannounced, step < Self.stepsUntilFeedingIsKnown { continue }
        let world = try world(scenario)
        let killSwitch = KillSwitch(at: step)
        let outcome = try world.reload(killedBy: killSwitch)
        wasKilled = killSwitch.isDead
        #expect([nil, .interrupted].contains(outcome.fault), "\(scenario) step \(step)")
        if outcome.fault != nil {
          interrupted += 1
          world.system.nextIsIncremental = recovery != .complete
          if recovery == .unannounced {
            let outcome = world.system.reload(with: world.feeder())
            #expect(outcome.isClean, "\(scenario) step \(step): \(outcome)")
          }
        }
        for _ in 0..<30 where world.held != world.expected {
          let outcome = try world.reload()
          #expect(outcome.isClean, "\(scenario) step \(step): \(outcome)")
        }
        #expect(world.held == world.expected, "\(scenario) step \(step)")
        // What the ledger now trusts is what the system holds.
        let quiet = try world.reload()
        #expect(quiet.isClean && world.held == world.expected, "\(scenario) step \(step)")
      }
      step += 1
    }
    #expect(interrupted > 20)
  }

  /// Twice in a row, at every pair of a coarse grid: a recovery may be killed as well.
  @Test func aRecoveryMayBeKilledToo() throws {
    for first in stride(from: 0, to: 60, by: 4) {
      for second in stride(from: 1, to: 60, by: 5) {
        let world = try world(.changes)
        try world.reload(killedAt: first)
        try world.reload(killedAt: second)
        for _ in 0..<5 where world.held != world.expected { #expect(try world.reload().isClean) }
        #expect(world.held == world.expected, "steps \(first), \(second)")
      }
    }
  }
}
