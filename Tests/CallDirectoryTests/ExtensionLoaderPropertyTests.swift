// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import TestData
import Testing

/// Random weeks of a phone: lists change, users edit, requests are killed or fail, extensions are turned off and on.
/// After every undisturbed load the phone has exactly the lists.
@Suite struct ExtensionLoaderPropertyTests {
  @Test(arguments: 1...40) func `a random week of changes and kills ends with the expected lists`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let phone = try PhoneFixture()
    phone.pageOperations = [6, 25, 1_000].randomElement(using: &generator) ?? 6
    phone.system.requestAdditions = max(phone.pageOperations, 6)
    let packs = Int.random(in: 1...3, using: &generator)
    for index in 0..<packs { try phone.publish(Lists.random(20, within: 1...60, using: &generator), at: index) }
    for day in 0..<12 {
      switch Int.random(in: 0...6, using: &generator) {
      case 0, 1:
        let index = Int.random(in: 0..<packs, using: &generator)
        try phone.publish(Lists.random(20, within: 1...60, using: &generator), at: index)
      case 2: try edit(&phone.personalList, using: &generator)
      case 3: phone.system.disableAndEnable()
      case 4:
        try phone.reload(killedAt: Int.random(in: 0...80, using: &generator))
        if Bool.random(using: &generator) { phone.system.nextIsIncremental.toggle() }
      case 5:
        // The system fails a request after all calls were made; the handler is notified.
        try phone.loader().prepareReload()
        let request = phone.system.beginRequest()
        _ = try phone.loader().load(request)
        request.cancelRequest(withError: CallDirectorySimulator.Fault.interrupted)
        _ = request.end()
        try phone.loader().invalidate()
      default: break
      }
      try phone.savePersonalList()
      if Bool.random(using: &generator) { continue }
      // Turning the extension off may delete loaded pages, so a load may start again, but it ends.
      var reloads = 0
      repeat {
        let outcome = try phone.reload()
        #expect(outcome.isClean, "seed \(seed) day \(day): \(outcome)")
        reloads += 1
      } while phone.held != phone.expected && reloads < 80
      #expect(phone.held == phone.expected, "seed \(seed) day \(day)")
    }
  }

  private func edit(_ list: inout PersonalList, using generator: inout SeededGenerator) throws {
    for _ in 0..<3 {
      let number = Int64.random(in: 1...60, using: &generator)
      switch Int.random(in: 0...6, using: &generator) {
      case 0: try list.block(number)
      case 1: try list.identify(number, label: "Mine \(Int.random(in: 0...3, using: &generator))")
      case 2: try list.removeBlocked(number)
      case 3: try list.removeIdentified(number)
      case 4: list.forget(number)
      case 5: list.removeAllBlocked()
      default: list.removeAllIdentified()
      }
    }
  }
}
