// SPDX-License-Identifier: Apache-2.0

import Publishing
import Testing

@Suite struct AddressBookTests {
  private func book(_ numbers: [Int64], _ kind: AddressBook.Kind = .block, _ name: String = "Fraud") -> AddressBook {
    AddressBook(kind, serial: 1, entries: numbers.map { .init(number: $0, name: name) })
  }

  private func count(_ card: AddressBook.Card) -> Int { card.text.matches(of: /\r\nTEL;/).count }

  @Test func `a contact has at most nine numbers, and a change of one number changes one`() {
    let nine = (0..<9).map { 33_199_000_240 + Int64($0) }
    #expect(book(nine).cards.map(count) == [9])
    #expect(book(nine + [33_199_000_249]).cards.map(count) == Array(repeating: 1, count: 10))
    #expect(Set(book(nine + [12_015_550_123]).cards.map(count)) == [1, 9])
    let numbers = (0..<50).map { 33_199_000_000 + Int64($0) * 17 } + [3, 33, 331]
    let (one, other) = (book(numbers), book(numbers.dropLast() + [33_199_000_001]))
    #expect(one.cards.allSatisfy { (1...9).contains(count($0)) && $0.text.contains("FN:SPAM: Fraud +3") })
    #expect(one.cards.map(count).reduce(0, +) == numbers.count)
    let changes = other.changes(since: one)
    #expect(changes.changed.count == 1 && changes.removed.count <= 1)
    let unchanged = one.changes(since: one)
    #expect(unchanged.changed.isEmpty && unchanged.removed.isEmpty)
    #expect(book(numbers.reversed()).tag == one.tag && other.tag != one.tag)
  }

  @Test func `a name is one line of at most 60 characters`() {
    let long = String(repeating: "x", count: 60)
    for (name, line) in [
      ("a;b\nc", "a\\;b c"), ("a,\u{7F}\u{2028}\u{2029}b", "a\\,   b"), (long, long), (long + "y", long),
      // A combining mark does not hide a special character.
      ("a;\u{301}b\\\u{301}", "a\\;\u{301}b\\\\\u{301}"),
    ] {
      let texts = [AddressBook.Kind.identify, .block].map { book([33_199_000_248], $0, name).cards[0].text.utf8 }
      #expect(texts[0].contains("FN:\(line)\r\nN:\(line);;;;\r\nCATEGORIES:CALLER\r\n".utf8))
      #expect(texts[1].contains("FN:SPAM: \(line)\r\nN:SPAM: \(line);;;;\r\nCATEGORIES:SPAM\r\n".utf8))
    }
  }
}
