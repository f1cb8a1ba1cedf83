// SPDX-License-Identifier: Apache-2.0

import Intake
import Testing

@Suite struct PseudonymizerTests {
  private let pseudonymizer = Pseudonymizer(key: [UInt8](repeating: 7, count: 32))

  private func same(_ one: String, _ other: String) -> Bool {
    pseudonymizer.network(of: one) == pseudonymizer.network(of: other)
  }

  @Test func `a network is a prefix of the IPv4 or IPv6 address`() throws {
    #expect(pseudonymizer.network(of: "192.0.2.7")?.count == 8)
    #expect(same("192.0.2.7", "192.0.2.254"))
    #expect(!same("192.0.2.7", "192.0.3.7"))
    #expect(same("2001:db8:1:2::7", "2001:db8:1:ffff::1"))
    #expect(!same("2001:db8:1::7", "2001:db8:2::7"))
    #expect(same("::ffff:192.0.2.7", "192.0.2.9"))
    #expect(same("::ffff:c000:0207", "192.0.2.9"))
    #expect(same("fe80::1%eth0", "fe80::2"))
    // Only the mapped range is IPv4.
    #expect(!same("::192.0.2.7", "192.0.2.7"))
  }

  @Test func `an area is a wider prefix that many networks share`() {
    #expect(pseudonymizer.area(of: "192.0.2.7") == pseudonymizer.area(of: "192.0.99.1"))
    #expect(pseudonymizer.area(of: "192.0.2.7") == pseudonymizer.area(of: "::ffff:192.0.99.1"))
    #expect(pseudonymizer.area(of: "192.0.2.7") != pseudonymizer.area(of: "192.1.2.7"))
    #expect(pseudonymizer.area(of: "2001:db8:1::7") == pseudonymizer.area(of: "2001:db8:ffff::7"))
    #expect(pseudonymizer.area(of: "2001:db8:1::7") != pseudonymizer.area(of: "2001:db9:1::7"))
    #expect(pseudonymizer.area(of: "localhost") == nil)
  }

  @Test(arguments: ["", "localhost", "/run/socket", "192.0.2", "192.0.2.7.1", "1.2.3.4:80", ":::", "%eth0"])
  func `an invalid address has no network`(text: String) {
    #expect(pseudonymizer.network(of: text) == nil)
  }

  @Test func `a network hash depends on the key and is not a pseudonym`() {
    let other = Pseudonymizer(key: [UInt8](repeating: 8, count: 32))
    #expect(other.network(of: "192.0.2.7") != pseudonymizer.network(of: "192.0.2.7"))
    let network = pseudonymizer.network(of: "192.0.2.7") ?? []
    for name in ["192.0.2.7", "192.0.2", "network192.0.2", "\u{C0}\0\u{2}"] {
      #expect(Array(pseudonymizer.pseudonym(of: name, appID: 1).prefix(8)) != network)
    }
  }
}
