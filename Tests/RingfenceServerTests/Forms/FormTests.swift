// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import API
@testable import HTTPServer
@testable import Localization
@testable import ModerationSite
@testable import RingfenceServer

@Suite struct FormTests {
  @Test func fieldsAreRead() throws {
    let form = try #require(Form(encoded: "a=1&b=x+y%2B%C3%A4&a=2&empty=&bare&space=++%20"))
    #expect(form["a"] == "1" && form.all("a") == ["1", "2"])
    #expect(form["b"] == "x y+ä" && form["empty"] == "" && form["bare"] == "" && form["none"] == nil)
    #expect(form.text("space") == nil && form.text("b") == "x y+ä")
    #expect(try #require(Form(encoded: "")).all("") == [])
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%00", "a=%C3", "%ff=1"]) func whatIsNoFormIsNone(_ text: String) {
    #expect(Form(encoded: text) == nil)
  }

  @Test func fieldsAreCounted() {
    #expect(Form(encoded: Array(repeating: "a", count: Form.limit).joined(separator: "&")) != nil)
    #expect(Form(encoded: Array(repeating: "a", count: Form.limit + 1).joined(separator: "&")) == nil)
  }

  @Test func aTokenIsItsSessions() {
    let token = FormToken.make(session: "one")
    #expect(FormToken.matches(token, FormToken.make(session: "one")))
    #expect(!FormToken.matches(token, FormToken.make(session: "two")))
    #expect(!FormToken.matches("", "") && !FormToken.matches(String(token.dropLast()), token))
  }

  @Test(arguments: [
    ("/moderation/queue?country=DE", "/moderation/queue?country=DE"), ("/moderation", "/moderation"),
    ("//evil.example/moderation", "/moderation"), ("https://evil.example", "/moderation"),
    ("/moderationx", "/moderation"), ("/moderation/\\evil", "/moderation"), ("/moderation/a\r\nb", "/moderation"),
    (nil, "/moderation"),
  ]) func oneReturnsToOurPagesOnly(wish: String?, path: String) {
    #expect(ReturnAddress(wish).path == path)
  }
}
