// SPDX-License-Identifier: Apache-2.0

import PageTemplates
import Testing

/// Tests the conversion of Swift's values.
@Suite struct TemplateValueTests {
  private struct Everything: Encodable {
    let text = "t"
    let flag = true
    let numbers: [Int64] = [1, -2]
    let real = 1.5
    let none: String? = nil
    let some: String? = "s"
    let names = ["a": "b"]
    let nested: [[Bool]] = [[true], []]
    let inner = Empty()
    let optionals: [String?] = ["x", nil]
    let kind = Kind.one
  }

  private struct Empty: Encodable {}

  private enum Kind: String, Encodable { case one }

  /// Encodes itself manually, and writes to a container after a later one was opened.
  private struct ByHand: Encodable {
    enum Keys: String, CodingKey { case list, inner, last }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try container.encode(1, forKey: .last)
      try list.encode("a")
      var inner = list.nestedContainer(keyedBy: Keys.self)
      try inner.encode(UInt8(2), forKey: .last)
    }
  }

  private func text(_ template: String, of value: some Encodable) throws -> String {
    let library = try TemplateLibrary(["page": template])
    return String(
      decoding: try #require(library["page"]).render(try #require(try TemplateValue(value))), as: UTF8.self)
  }

  @Test func `every kind of value is encoded`() throws {
    let template = """
      {{text}} {{flag}} {{#numbers}}{{.}},{{/numbers}} {{real}} {{none}}{{some}} {{names.a}} \
      {{#nested}}[{{#.}}{{.}}{{/.}}]{{/nested}} {{#inner}}i{{/inner}} {{#optionals}}{{.}};{{/optionals}} {{kind}}
      """
    #expect(try text(template, of: Everything()) == "t true 1,-2, 1.5 s b [true][] i x; one")
  }

  @Test func `containers may be filled after they are created`() throws {
    #expect(try text("{{last}} {{#list}}{{.}}{{last}} {{/list}}", of: ByHand()) == "1 a1 2 ")
  }

  @Test func `a missing optional has no value`() throws {
    let nothing = try TemplateValue(String?.none)
    #expect(nothing == nil)
    let text = try TemplateValue("t")
    #expect(text == .text("t"))
  }
}
