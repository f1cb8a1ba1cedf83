// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import Foundation
import TestData
import Testing

/// The extension's process is killed at every step of a request: at every call to the system and every durable
/// operation of the store. Ordinary reloads must then bring the phone to the right lists, independent of the state that
/// the system reports.
@Suite struct ExtensionLoaderKillTests {
  enum Scenario: String, CaseIterable {
    case firstLoad, changes, replacing, firstPage, laterPage, changesInPages
  }

  /// The behavior of the system after the kill.
  enum Recovery: CaseIterable {
    case changes, complete, unannounced
  }

  /// Create the folder; create, write, flush and rename the ledger.
  private static let stepsUntilFeedingIsKnown = 5

  private func phone(_ scenario: Scenario) throws -> PhoneFixture {
    let phone = try PhoneFixture()
    var generator = SeededGenerator(seed: 21)
    try phone.publish(Lists.random(14, within: 1...40, using: &generator), at: 0)
    try phone.publish(Lists.random(8, within: 1...40, using: &generator), at: 1)
    try phone.personalList.block(17)
    try phone.personalList.removeBlocked(18)
    try phone.savePersonalList()
    let change = {
      try phone.publish(Lists.random(14, within: 1...40, using: &generator), at: 0)
      try phone.personalList.identify(19, label: "Neighbour")
      try phone.savePersonalList()
    }
    switch scenario {
    case .firstLoad: break
    case .changes:
      try phone.reload()
      try change()
    case .replacing:
      try phone.reload()
      #expect(try phone.reload(killedAt: 6).fault == .interrupted)
      try change()
    case .firstPage: phone.pageOperations = 9
    case .laterPage:
      phone.pageOperations = 9
      try phone.reload()
      try change()
    case .changesInPages:
      try phone.reload()
      phone.pageOperations = 7
      try change()
    }
    return phone
  }

  @Test(arguments: Scenario.allCases) func `the phone recovers from a kill at every step`(scenario: Scenario) throws {
    var step = 0
    var wasKilled = true
    var interrupted = 0
    while wasKilled {
      for recovery in Recovery.allCases {
        // After a request that the app did not announce, only the first writes of the killed process can show its
        // failure.
        if recovery == .unannounced, step < Self.stepsUntilFeedingIsKnown { continue }
        let phone = try phone(scenario)
        let killSwitch = KillSwitch(at: step)
        let outcome = try phone.reload(killedBy: killSwitch)
        wasKilled = killSwitch.isDead
        #expect([nil, .interrupted].contains(outcome.fault), "\(scenario) step \(step)")
        if outcome.fault != nil {
          interrupted += 1
          phone.system.nextIsIncremental = recovery != .complete
          if recovery == .unannounced {
            let outcome = phone.system.reload(with: phone.loader())
            #expect(outcome.isClean, "\(scenario) step \(step): \(outcome)")
          }
        }
        for _ in 0..<30 where phone.held != phone.expected {
          let outcome = try phone.reload()
          #expect(outcome.isClean, "\(scenario) step \(step): \(outcome)")
        }
        #expect(phone.held == phone.expected, "\(scenario) step \(step)")
        // The lists that the ledger trusts are those that the system has.
        let quiet = try phone.reload()
        #expect(quiet.isClean && phone.held == phone.expected, "\(scenario) step \(step)")
      }
      step += 1
    }
    #expect(interrupted > 20)
  }

  /// Two kills in a row, at every pair of a coarse grid: a recovery may be killed too.
  @Test func `the phone recovers when a recovery is killed too`() throws {
    for first in stride(from: 0, to: 60, by: 4) {
      for second in stride(from: 1, to: 60, by: 5) {
        let phone = try phone(.changes)
        try phone.reload(killedAt: first)
        try phone.reload(killedAt: second)
        for _ in 0..<5 where phone.held != phone.expected { #expect(try phone.reload().isClean) }
        #expect(phone.held == phone.expected, "steps \(first), \(second)")
      }
    }
  }
}
