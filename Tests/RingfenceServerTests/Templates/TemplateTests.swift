// SPDX-License-Identifier: Apache-2.0

import ModerationSite
import Testing

/// Tests the template language with the examples of Mustache's specification that it supports, and with text it
/// refuses.
@Suite struct TemplateTests {
  private static let page: TemplateRecord = [
    "title": "<A & \"B\">'",
    "lines": [
      ["name": "one", "note": "n", "isLast": false], ["name": "two", "isLast": true],
    ] as [TemplateRecord],
    "words": ["x", "<y>"], "count": -3, "isOpen": true,
    "frame": ["csrf": "t", "entries": [String]()] as TemplateRecord,
  ]

  private func render(_ template: String, _ others: [String: String] = [:]) throws -> String {
    let library = try TemplateLibrary(others.merging(["page": template]) { $1 })
    return String(decoding: try #require(library["page"]).render(.record(Self.page)), as: UTF8.self)
  }

  @Test(arguments: [
    ("{{title}}", "&lt;A &amp; &quot;B&quot;&gt;&#39;"),
    ("{{ count }}|{{isOpen}}|{{missing}}|{{lines}}|{{frame}}", "-3|true|||"),
    ("{{frame.csrf}}{{frame.nothing}}{{title.length}}", "t"),
    ("{{#lines}}{{name}}{{#note}}({{.}}){{/note}},{{/lines}}", "one(n),two,"),
    ("{{#lines}}{{name}}{{^isLast}}, {{/isLast}}{{/lines}}", "one, two"),
    ("{{#lines}}{{frame.csrf}}{{count}} {{/lines}}", "t-3 t-3 "),
    ("{{#words}}{{.}};{{/words}}", "x;&lt;y&gt;;"),
    ("{{#isOpen}}{{count}}{{/isOpen}}{{^isOpen}}shut{{/isOpen}}", "-3"),
    ("{{#nobody}}{{name}}{{/nobody}}{{^nobody}}nobody{{/nobody}}", "nobody"),
    ("{{#frame}}{{csrf}}{{^entries}}none{{/entries}}{{/frame}}", "tnone"),
    ("{{#empty(frame.entries)}}e{{/empty(frame.entries)}}{{^empty(words)}}w{{/empty(words)}}", "ew"),
    ("{{#empty(missing)}}a{{/empty(missing)}}{{^empty(missing)}}b{{/empty(missing)}}", "b"),
    ("a{{! a remark }}b", "ab"),
    ("", ""),
  ])
  func `tags follow the Mustache specification`(template: String, result: String) throws {
    #expect(try render(template) == result)
  }

  @Test(arguments: [
    ("a\n{{#isOpen}}\nb\n{{/isOpen}}\nc", "a\nb\nc"),
    ("  {{#isOpen}}  \n  b\n  {{/isOpen}}", "  b\n"),
    ("a {{#isOpen}}\nb{{/isOpen}}\n", "a \nb\n"),
    ("{{! remark }}\na\r\n{{! remark }}\r\nb", "a\r\nb"),
    ("{{#isOpen}}\n{{#isOpen}}\na\n{{/isOpen}}\n{{/isOpen}}\n", "a\n"),
    ("a\n{{count}}\nb", "a\n-3\nb"),
    ("a\n  {{>part}}\nb", "a\npb"),
  ])
  func `a tag alone on its line removes the line`(template: String, result: String) throws {
    #expect(try render(template, ["part": "p"]) == result)
  }

  @Test func `a partial has the context of its parent`() throws {
    let row = "<li>{{name}}{{>mark}}</li>"
    #expect(
      try render("{{#lines}}{{>row}}{{/lines}}", ["row": row, "mark": "{{#isLast}}!{{/isLast}}"])
        == "<li>one</li><li>two!</li>")
  }

  @Test func `an inheriting template replaces blocks`() throws {
    let layout = "<{{$title}}none{{/title}}|{{$main}}{{/main}}|{{>foot}}>"
    let others = [
      "layout": layout, "foot": "{{$foot}}f{{/foot}}", "middle": "{{<layout}}{{$title}}m{{/title}}{{/layout}}",
    ]
    #expect(try render("{{<layout}}{{$main}}{{count}}{{/main}}not shown{{/layout}}", others) == "<none|-3|f>")
    #expect(try render("{{<middle}}{{$foot}}g{{/foot}}{{/middle}}", others) == "<m||g>")
    #expect(try render("{{<middle}}{{$title}}n{{/title}}{{/middle}}", others) == "<n||f>")
  }

  @Test(arguments: [
    ("a\n{{#open}}", "line 2: open is not closed"),
    ("{{#a}}{{/b}}", "line 1: {{/b}} closes what is not open"),
    ("{{/b}}", "line 1: {{/b}} closes what is not open"),
    ("a\n\n{{name", "line 3: a tag does not end with }}"),
    ("{{{title}}}", "line 1: {{{ is not known here: every value is escaped"),
    ("{{&title}}", "line 1: {{& is not known here: every value is escaped"),
    ("{{=<% %>=}}", "line 1: {{= is not known here: every value is escaped"),
    ("{{a b}}", "line 1: a b is no name"),
    ("{{}}", "line 1:  is no name"),
    ("{{a..b}}", "line 1: a..b is no name"),
    ("{{empty(a)}}", "line 1: empty(a) is for sections"),
    ("{{>../layout}}", "line 1: ../layout is no name of a template or a block"),
    ("{{>missing}}", "asks for missing, which is not there"),
    ("{{<missing}}{{/missing}}", "asks for missing, which is not there"),
    ("{{>page}}", "holds itself"),
    ("{{#a}}{{<page}}{{/page}}{{/a}}", "holds itself"),
  ])
  func `template errors are found when the library is created`(template: String, problem: String) {
    let error = #expect(throws: TemplateLibrary.Failure.self) { try TemplateLibrary(["page": template]) }
    #expect(error?.template == "page")
    #expect(error.map { "\($0.error)" } == problem)
  }

  /// All bytes of a value with a meaning in HTML are escaped.
  @Test func `all HTML characters of a value are escaped`() throws {
    var random = SystemRandomNumberGenerator()
    let library = try TemplateLibrary(["page": "{{#.}}{{.}}{{/.}}"])
    let template = try #require(library["page"])
    for _ in 0..<500 {
      let characters = (0..<40).map { _ in "<>&\"'aé語\u{0}{}".randomElement(using: &random) ?? "a" }
      let text = String(characters)
      let output = String(decoding: template.render(.text(text)), as: UTF8.self)
      #expect(!output.contains { "<>\"'".contains($0) })
      let back = output.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
      #expect(back == text)
    }
  }
}
