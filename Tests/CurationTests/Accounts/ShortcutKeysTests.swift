// SPDX-License-Identifier: Apache-2.0

import Curation
import Testing

struct ShortcutKeysTests {
  private typealias Action = ShortcutKeys.Action

  private static let standard = Dictionary(
    uniqueKeysWithValues: Action.allCases.map { ($0, String($0.standardKey)) })

  @Test func `every action has its own key`() {
    #expect(Set(Action.allCases.map(\.standardKey)).count == Action.allCases.count)
    #expect(ShortcutKeys(stored: nil) == .standard && ShortcutKeys(stored: "something else") == .standard)
  }

  @Test func `keys are stored and read again`() throws {
    var typed = Self.standard
    typed[.block] = "X"
    typed[.undo] = ""
    let keys = try ShortcutKeys(isOn: true, typed: typed)
    #expect(keys[.block] == "x" && keys[.undo] == "" && keys[.allow] == "a")
    #expect(ShortcutKeys(stored: keys.text) == keys)
    let off = try ShortcutKeys(isOn: false, typed: typed)
    #expect(Action.allCases.allSatisfy { off[$0] == "" } && off.chosen(.block) == "x")
    #expect(ShortcutKeys(stored: off.text) == off && off.text.count <= 500)
  }

  @Test(arguments: [
    (ShortcutKeys.Action.block, "1", ShortcutKeys.Problem.notALetter), (.block, "ab", .notALetter),
    (.block, "é", .notALetter), (.identify, "b", .taken),
  ])
  func `refuses a key`(_ action: ShortcutKeys.Action, _ key: String, _ problem: ShortcutKeys.Problem) {
    var typed = Self.standard
    typed[action] = key
    let refusal = #expect(throws: ShortcutKeys.Refusal.self) { try ShortcutKeys(isOn: true, typed: typed) }
    #expect(refusal?.action == action && refusal?.problem == problem)
  }

  @Test func `an action of a newer version has its standard key`() {
    #expect(ShortcutKeys(stored: "on block=y")[.allow] == "a")
    #expect(ShortcutKeys(stored: "on block=a")[.allow] == "", "Another action has the key.")
  }
}
