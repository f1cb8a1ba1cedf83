// SPDX-License-Identifier: Apache-2.0

import ModerationSite
import Testing

/// Tests the conversion of Swift's values.
@Suite struct TemplateValueTests {
  private func text(_ template: String, of record: TemplateRecord) throws -> String {
    let library = try TemplateLibrary(["page": template])
    return String(decoding: try #require(library["page"]).render(.record(record)), as: UTF8.self)
  }

  @Test func `every kind of value is converted`() throws {
    let template = """
      {{text}} {{flag}} {{#numbers}}{{.}},{{/numbers}} {{none}}{{some}} {{names.a}} \
      {{#nested}}[{{#.}}{{.}}{{/.}}]{{/nested}} {{#inner}}i{{/inner}} {{small}}
      """
    let record: TemplateRecord = [
      "text": "t", "flag": true, "numbers": [1, -2] as [Int64], "none": String?.none, "some": String?.some("s"),
      "names": TemplateRecord([("a", "b")]), "nested": [[true], []], "inner": [:] as TemplateRecord,
      "small": Int16(7),
    ]
    #expect(try text(template, of: record) == "t true 1,-2, s b [true][] i 7")
  }

  @Test func `a missing optional is an empty list`() throws {
    #expect(String?.none.templateValue == .list([]))
    #expect("t".templateValue == .text("t"))
    let record: TemplateRecord = ["name": String?.none]
    #expect(try text("{{#name}}a{{/name}}{{^name}}b{{/name}}{{#empty(name)}}c{{/empty(name)}}", of: record) == "bc")
  }

  @Test func `added fields replace fields of the same name`() throws {
    let record: TemplateRecord = ["a": "1", "b": "2"]
    let more = record.adding(["a": "3", "c": "4"])
    #expect(more["a"] == .text("3"))
    #expect(try text("{{a}}{{b}}{{c}}", of: more) == "324")
  }
}
