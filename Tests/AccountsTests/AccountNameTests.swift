// SPDX-License-Identifier: Apache-2.0

import Storage
import Testing

@Suite struct AccountNameTests {
  @Test(arguments: [
    ("Ada", true), ("  Ada ", true), ("Günther O'Neil-Müller", true), ("नेहा", true), ("Systema", true),
    ("Owner 2", true),
    ("apple", true), (String(repeating: "é", count: 80), true), ("", false), (" ", false), ("A\nB", false),
    ("\u{202E}adA", false), ("A\u{0}", false), ("app:bot", false), ("APP:bot", false), ("System", false),
    ("owner", false), ("Command Line", false), ("Ringfence", false), (String(repeating: "é", count: 81), false),
  ])
  func `people have names that no program and no owner has`(_ name: String, _ isAccepted: Bool) {
    #expect(((try? AccountName.check(name, "name")) != nil) == isAccepted)
  }
}
