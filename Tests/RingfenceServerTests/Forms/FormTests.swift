// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer
@testable import ModerationSite

@Suite struct FormTests {
  @Test func `form fields are decoded`() throws {
    let form = try #require(Form(encoded: "a=1&b=x+y%2B%C3%A4&a=2&empty=&bare&space=++%20"))
    #expect(form["a"] == "1" && form.all("a") == ["1", "2"])
    #expect(form["b"] == "x y+ä" && form["empty"] == "" && form["bare"] == "" && form["none"] == nil)
    #expect(form.text("space") == nil && form.text("b") == "x y+ä")
    #expect(try #require(Form(encoded: "")).all("") == [])
  }

  @Test func `an encoded form has the same fields`() throws {
    let form = try #require(Form(encoded: "a=1&b=x+y%2B%C3%A4%26&a=2&csrf=no&empty="))
    #expect(form.encoded(without: ["csrf"]) == "a=1&b=x%20y%2B%C3%A4%26&a=2&empty=")
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%00", "a=%C3", "%ff=1"]) func `a malformed form is refused`(
    _ text: String
  ) {
    #expect(Form(encoded: text) == nil)
  }

  @Test func `the number of form fields is limited`() {
    #expect(Form(encoded: Array(repeating: "a", count: Form.limit).joined(separator: "&")) != nil)
    #expect(Form(encoded: Array(repeating: "a", count: Form.limit + 1).joined(separator: "&")) == nil)
  }

  @Test func `a form token matches its own session only`() {
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
  ]) func `a return address leads to pages of this site only`(wish: String?, path: String) {
    #expect(ReturnAddress(wish).path == path)
  }
}
