// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CallDirectory

@Suite struct PersonalListTests {
  let phone: PhoneFixture
  let time = Date(timeIntervalSinceReferenceDate: 800_000_000.25)
  init() throws { phone = try PhoneFixture() }

  private func sample() throws -> PersonalList {
    var list = PersonalList()
    try list.block(33_199_000_248, at: time)
    try list.block(5, at: time)
    try list.removeBlocked(5, at: time + 1)
    try list.identify(5, label: "Zoë \"9\"", at: time)
    try list.identify(7, label: "Gone", at: time)
    try list.removeIdentified(7, at: time + 2)
    return list
  }

  @Test func `removing an entry leaves a mark and adding it again clears the mark`() throws {
    var list = try sample()
    #expect(list.blocked.map(\.number) == [33_199_000_248])
    #expect(list.blockedWithMarks.map(\.isRemoved) == [true, false])
    #expect(list.identified.map(\.label) == ["Zoë \"9\""])
    try list.block(5, at: time + 3)
    #expect(list.blocked.map(\.number) == [5, 33_199_000_248])
    list.removeAllBlocked(at: time + 4)
    list.removeAllIdentified(at: time + 4)
    #expect(list.blocked.isEmpty && list.identified.isEmpty && list.blockedWithMarks.count == 2)
    list.forget(5)
    #expect(list.blockedWithMarks.map(\.number) == [33_199_000_248])
  }

  @Test func `invalid entries are refused`() {
    var list = PersonalList()
    for number in [0, -1, 1_000_000_000_000_000] as [Int64] {
      #expect(throws: CallDirectoryError.self) { try list.block(number) }
      #expect(throws: CallDirectoryError.self) { try list.removeIdentified(number) }
    }
    #expect(throws: CallDirectoryError.self) { try list.identify(1, label: "") }
    #expect(throws: CallDirectoryError.self) { try list.identify(1, label: String(repeating: "x", count: 65_535)) }
    #expect(list == PersonalList())
  }

  @Test func `the personal list file contains all entries`() throws {
    let list = try sample()
    try list.write(to: phone.personal)
    #expect(try PersonalList(contentsOf: phone.personal) == list)
    #expect(try PersonalList(contentsOf: phone.folder.appendingPathComponent("none")) == PersonalList())
  }

  @Test func `a damaged personal list is refused or contains valid entries only`() throws {
    let bytes = try sample().bytes
    for length in 0..<bytes.count {
      try Data(bytes[..<length]).write(to: phone.personal)
      #expect(throws: CallDirectoryError.self, "\(length) bytes") { try PersonalList(contentsOf: phone.personal) }
    }
    try Data(bytes + [0]).write(to: phone.personal)
    #expect(throws: CallDirectoryError.self) { try PersonalList(contentsOf: phone.personal) }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x81
      try Data(changed).write(to: phone.personal)
      // Any result except a crash is allowed, and a list that is read keeps the rules.
      guard let list = try? PersonalList(contentsOf: phone.personal) else { continue }
      #expect(list.identified.allSatisfy { $0.label?.isEmpty == false && $0.number > 0 })
    }
  }

  @Test func `a label that is not valid UTF-8 is refused`() throws {
    var bytes = try sample().bytes
    let place = try #require(bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == Array("Gone".utf8) })
    bytes.replaceSubrange(place..<place + 3, with: [0xED, 0xA0, 0x80])
    try Data(bytes).write(to: phone.personal)
    let error = #expect(throws: CallDirectoryError.self) { try PersonalList(contentsOf: phone.personal) }
    #expect(error == .damaged(path: phone.personal.path, rule: "a label that is not UTF-8"))
  }

  @Test func `the mirror has the JSON format of the plugin`() throws {
    let mirror = CallDirectoryMirror(try sample(), lastUpdate: time)
    let json = String(decoding: try mirror.json(), as: UTF8.self)
    #expect(
      json == """
        {"blockedNumbers":[{"isRemoved":true,"modificationDate":800000001.25,"number":5},\
        {"isRemoved":false,"modificationDate":800000000.25,"number":33199000248}],\
        "identifiedNumbers":[{"isRemoved":false,"label":"Zoë \\"9\\"","modificationDate":800000000.25,"number":5},\
        {"isRemoved":true,"label":"Gone","modificationDate":800000002.25,"number":7}],"lastUpdate":800000000.25}
        """)
    let back = try JSONDecoder().decode(CallDirectoryMirror.self, from: mirror.json())
    #expect(try PersonalList(back) == sample())
    #expect(json.contains(String(decoding: try mirror.blockedNumbersValue(), as: UTF8.self)))
    #expect(json.contains(String(decoding: try mirror.identifiedNumbersValue(), as: UTF8.self)))
  }

  @Test func `a number that occurs twice in a mirror takes the later state`() throws {
    let rows = """
      {"blockedNumbers":[{"number":5,"modificationDate":2,"isRemoved":true},
       {"number":5,"modificationDate":3,"isRemoved":false},{"number":6,"modificationDate":9,"isRemoved":false},
       {"number":6,"modificationDate":1,"isRemoved":true}],"identifiedNumbers":[]}
      """
    let list = try PersonalList(JSONDecoder().decode(CallDirectoryMirror.self, from: Data(rows.utf8)))
    #expect(list.blocked.map(\.number) == [5, 6])
  }
}
