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

  /// A contact copied from a phone: U+202A +1 201 555 0123 U+202C, a soft hyphen, a mark of the byte order.
  @Test func `invisible marks of pasted text are left out, but not of passwords`() throws {
    let marks = "%E2%80%AA%2B1+201%C2%AD555%E2%80%AC%EF%BB%BF"
    let form = try #require(Form(encoded: "number=\(marks)&password=\(marks)&name=%E0%A4%95%E2%80%8D%E0%A4%B7"))
    #expect(form["number"] == "+1 201555" && form["name"] == "क\u{200D}ष")
    #expect(form["password"] == "\u{202A}+1 201\u{AD}555\u{202C}\u{FEFF}")
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
