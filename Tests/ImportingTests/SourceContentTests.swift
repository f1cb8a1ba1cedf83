// SPDX-License-Identifier: Apache-2.0

import Curation
import Foundation
import Testing

@testable import Importing

/// Lists in the formats of other programs, and files that are refused.
@Suite struct SourceContentTests {
  private func read(
    _ text: String, _ format: SourceFormat, isComplete: Bool = true, most: Int = 1_000,
    change: (inout SourceOptions) -> Void = { _ in }
  ) throws -> SourceContent {
    let scratch = try Scratch()
    var options = SourceOptions()
    if format == .phoneBlock { options.categories = SourceOptions.phoneBlockCategories }
    change(&options)
    return try SourceContent(
      path: try scratch.file(text), format: format, options: options, isComplete: isComplete, most: most)
  }

  private func code(_ text: String, _ format: SourceFormat, most: Int = 1_000) throws -> SourceFailure.Code? {
    do {
      _ = try read(text, format, most: most)
      return nil
    } catch let failure as SourceFailure {
      return failure.code
    } catch let refused as RejectedFile {
      return refused.failure.code
    }
  }

  @Test func `the rolling list of the FTC has national numbers`() throws {
    let content = try read("pattern\n2015550123\n4692576503\n2015550123\n123\n", .ftcRolling)
    #expect(content.entries.map(\.number) == [12_015_550_123, 14_692_576_503])
    #expect(content.entries.allSatisfy { $0.category == .other })
    #expect((content.rejected.rows, content.rejected.count) == (4, 1))
  }

  @Test(
    arguments: [
      // Of the number beside a remark, twice, and with a row that is rejected.
      (["+15555550123"], 3, 1, 0), (["+15555550123 # Survey", "+15555550123"], 4, 2, 0),
      (["+15555550123", "+1555"], 4, 1, 1),
      // More than half: a file of another region.
      (["+15555550123", "+15555550124"], 1, nil, 0), (["+15555550123", "+1555"], 1, nil, 0),
    ] as [([String], Int, Int?, Int)])
  func `rows of numbers that the plan lacks are read and counted apart`(
    _ rows: [String], _ others: Int, _ unassigned: Int?, _ rejected: Int
  ) throws {
    let valid = (0..<others).map { "+1201555012\($0)" }
    let text = (valid + rows).joined(separator: "\n")
    guard let unassigned else {
      #expect(throws: RejectedFile.self) { try read(text, .csv) }
      return
    }
    let content = try read(text, .csv) { $0.countries = ["US"] }
    #expect(content.entries.map(\.number) == valid.compactMap { Int64($0) } + [15_555_550_123])
    #expect((content.rejected.unassigned, content.rejected.count) == (unassigned, rejected))
    // The calling code of an unassigned number has several countries.
    #expect(try read(text, .csv) { $0.countries = ["CA"] }.entries.map(\.number) == [15_555_550_123])
  }

  @Test func `columns and categories are mapped`() throws {
    let text = "Kind;Phone Number;Note\nScam;+1 201 555 0123;\"a;\"\"b\"\nAds;0199000248;\nFriend;+33199000249;\n"
    let content = try read(text, .csv) { options in
      (options.numberColumn, options.categoryColumn) = ("phone_number", "kind")
      options.region = "FR"
      options.categories = ["Scam": "fraud", "Friend": SourceOptions.skipped, "*": "telemarketing"]
    }
    #expect(
      content.entries == [
        .init(number: 12_015_550_123, category: .fraud), .init(number: 33_199_000_248, category: .telemarketing),
      ])
  }

  @Test(arguments: [
    // The names of the columns in a comment, a title, and the signs of items.
    ("# label,number\nSales,+33199000248\nFraud,+33199000249\n", 0),
    ("# Blocked numbers, 2026\n+33199000248\n+33199000249\n", 0),
    ("Blocked numbers\n+33199000248\n+33199000249\n", 1),
    ("Blocked numbers:\n\n- +33 1 99 00 02 48\n* +33 1 99 00 02 49\n• +33199000249\n", 1),
    // Ten digits without a region may be of North America, and a digit behind a number is none of it.
    ("number\n+33199000248\n+33199000249\n2015550123\n", 1),
    ("number\n+33199000248\n+33199000249\n+493023125138 1\n", 1),
  ]) private func `lines around the numbers of a list`(_ text: String, _ rejected: Int) throws {
    let content = try read(text, .csv)
    #expect(content.entries.map(\.number) == [33_199_000_248, 33_199_000_249])
    #expect(content.rejected.count == rejected)
  }

  @Test func `a range that is refused has the reason of its rule`() throws {
    let content = try read("number\n+33199000248\n+33199000249\n+33*\n", .csv)
    #expect(content.rejected.reasons.keys.allSatisfy { ["too_wide", "mask", "placeholder"].contains($0) })
    #expect(content.rejected.count == 1)
  }

  @Test(arguments: ["Telephone;Name", "Name;Rufnummer", "Phone-Number;Name", "name;Téléphone"])
  func `a column of numbers is named as in directories`(header: String) throws {
    let isFirst = !header.lowercased().hasPrefix("name")
    let rows = [("+12015550123", "a"), ("+12015550124", "b")].map { isFirst ? "\($0);\($1)" : "\($1);\($0)" }
    let content = try read(([header] + rows).joined(separator: "\n"), .csv)
    #expect(content.entries.map(\.number) == [12_015_550_123, 12_015_550_124])
    #expect(content.rejected.count == 0)
  }

  @Test func `a title is no header`() throws {
    for title in ["Phones:", "Telefon", "Mobile"] {
      let content = try read("\(title)\n+12015550123, +12015550124\n+12015550125\n", .csv)
      // The title is a rejected row.
      #expect(content.entries.count == 3 && content.rejected.count == 1, "\(title)")
    }
    #expect(try code("Phones,+12015550123\n+12015550124,+12015550125\n", .csv) == .missingColumn)
  }

  @Test(arguments: [
    ("Telefon;Mobile\n+12015550123;+12015550124\n;+12015550125\n", 3, 0),
    ("phone,phone_2,name\n+12015550123,+12015550124,a\n+12015550125,,b\n,,c\n", 3, 1),
    ("Name,Phone 1 - Value,Phone 2 - Value\na,+12015550123,+12015550124\n", 2, 0),
    ("number,mobile\n+12015550123,yes\n+12015550124,no\n", 2, 0),
    ("tel,pattern\n,+12015550123\n+12015550124,\n", 2, 0),
    ("pattern,tel\n+1201555013x,+12015550124\n", 11, 0),
  ])
  func `numbers of all columns are read`(_ text: String, _ numbers: Int, _ rejected: Int) throws {
    let content = try read(text, .csv)
    let ranged = content.ranges.reduce(0) { $0 + Int($1.range.size) }
    #expect(content.entries.count + ranged == numbers && content.rejected.count == rejected)
  }

  @Test func `a file without a header is read by positions`() throws {
    let content = try read("fraud\t12015550123\nfraud\t33199000248\n", .csv) { options in
      (options.numberColumn, options.categoryColumn) = ("2", "1")
      options.categories = ["fraud": "fraud"]
    }
    #expect(content.entries.map(\.category) == [.fraud, .fraud])
  }

  @Test(arguments: ["1", "2", "7"])
  func `the first row of a file without a header is no header`(votes: String) throws {
    let content = try read("12015550123,fraud,\(votes)\n12015550124,survey,5\n", .csv) { options in
      (options.numberColumn, options.categoryColumn) = ("1", "2")
      options.categories = ["fraud": "fraud", "survey": "survey"]
    }
    #expect(content.entries.map(\.category) == [.fraud, .survey])
  }

  @Test func `with a region, digits with its calling code are international`() throws {
    let content = try read("number\n49421123456\n+49421123456\n0421123456\n421123456\n4915123456789\n", .csv) {
      $0.region = "DE"
    }
    #expect(content.entries.map(\.number) == [49_421_123_456, 4_915_123_456_789])
    #expect(content.rejected.count == 0)
    let american = try read("number\n2015550123\n12015550123\n", .csv) { $0.region = "US" }
    #expect(american.entries.map(\.number) == [12_015_550_123])
  }

  @Test func `changes may be of numbers that cannot be read`() throws {
    let row = #"{"phone":"+4930","votes":5,"rating":"A_PING"}"#
    let list = { (count: Int) in
      #"{"version":11,"numbers":[\#(Array(repeating: row, count: count).joined(separator: ","))]}"#
    }
    let content = try read(list(2), .phoneBlock, isComplete: false)
    #expect((content.rejected.count, content.version) == (2, 11))
    #expect(throws: RejectedFile.self) { try read(list(101), .phoneBlock, isComplete: false) }
    #expect(throws: RejectedFile.self) { try read(list(2), .phoneBlock) }
  }

  @Test func `numbers of other countries are left out`() throws {
    let content = try read("number\n+12015550123\n+33199000248\n", .csv) { $0.countries = ["FR"] }
    #expect(content.entries.map(\.number) == [33_199_000_248])
    #expect(content.rejected.count == 0)
  }

  @Test func `the CSV of SpamBlocker is read`() throws {
    let content = try read("description|pattern\nSales|12015550123\nFraud|33199000248\n", .spamBlockerCSV)
    #expect(content.entries.count == 2)
  }

  @Test func `the XML of SpamBlocker is read`() throws {
    let text = """
      <?xml version="1.0"?><!-- a > b --><l v="812"><n p="12015550123" k='a&amp;b'/><x:n p="33199000248"></x:n>
      <other p="4930123456"/></l>
      """
    let content = try read(text, .spamBlockerXML) { options in
      (options.attribute, options.categoryColumn) = ("p", "k")
      options.categories = ["a&b": "fraud"]
    }
    #expect(
      content.entries == [
        .init(number: 12_015_550_123, category: .fraud), .init(number: 33_199_000_248, category: .other),
      ])
    let texts = "<list><n>+12015550123</n><n> <![CDATA[+33199000248]]> </n></list>"
    #expect(try read(texts, .spamBlockerXML).entries.count == 2)
  }

  @Test(arguments: [
    "<!DOCTYPE l [<!ENTITY a \"b\">]><l><n>+12015550123</n></l>", "<l><n>+12015550123</n>", "+12015550123",
    "<l><n p=\"", "</l>", String(repeating: "<l>", count: 100), "<" + String(repeating: "x", count: 100_000) + ">",
  ])
  func `other documents are refused`(text: String) throws {
    #expect(try code(text, .spamBlockerXML) == .unreadable)
  }

  @Test func `the list of PhoneBlock is read`() throws {
    let text = """
      {"other":{"numbers":[{"phone":"+4930123456"}]},"numbers":[{"phone":"+12015550123","votes":20,"rating":"G_FRAUD",\
      "lastActivity":1795132800000},{"phone":"+33199000248","votes":10,"rating":"C_PING","x":{"a":"}\\""}},\
      {"phone":"+33199000249","votes":10,"rating":"A_LEGITIMATE"}],"version":812}
      """
    let content = try read(text, .phoneBlock)
    #expect(
      content.entries == [
        .init(number: 12_015_550_123, category: .fraud), .init(number: 33_199_000_248, category: .oneRing),
      ])
    #expect(content.version == 812)
    let changes = try read(
      #"{"version": 813, "numbers": [{"phone": "+12015550123", "votes": 0}]}"#, .phoneBlock, isComplete: false)
    #expect(changes.removals == [12_015_550_123] && changes.entries.isEmpty && changes.version == 813)
    // A change to a category that is left out.
    let allowed = try read(
      #"{"version": 814, "numbers": [{"phone": "+12015550123", "votes": 9, "rating": "A_LEGITIMATE"}]}"#, .phoneBlock,
      isComplete: false
    ) { $0.categories = SourceOptions.phoneBlockCategories }
    #expect(allowed.removals == [12_015_550_123] && allowed.entries.isEmpty)
    #expect(try read(#"{"numbers":[],"version":813}"#, .phoneBlock, isComplete: false).version == 813)
  }

  @Test func `patterns of Saracroche are rules for ranges`() throws {
    let text = """
      {"version":"812","name":"A list","patterns":[{"name":"Sales","action":"block","pattern":"33199######"},\
      {"name":"Sales","action":"block","pattern":"33199000248"},{"name":"x","action":"block","pattern":"y"}]}
      """
    let content = try read(text, .saracroche) { $0.categories = ["Sales": "telemarketing"] }
    #expect(content.entries == [.init(number: 33_199_000_248, category: .telemarketing)])
    #expect((content.ranges.count, content.rejected.count, content.rejected.rows) == (1, 1, 3))
    #expect(content.ranges[0].range.blocks == [33_199_000_000...33_199_999_999])
    #expect(content.ranges[0].category == .telemarketing && content.ranges[0].reason == "Sales")
    // A list of ranges alone is a list.
    #expect(try read(#"{"patterns":[{"pattern":"33199######"}]}"#, .saracroche).entries.isEmpty)
    let ranges = try read(
      """
      {"patterns":[{"pattern":"3319900024#"},{"pattern":"331990100##"},{"pattern":"33199#0024"},\
      {"pattern":"3319903####","action":"identify"},{"pattern":"33199000251","action":"allow"},\
      {"pattern":"33######"},{"pattern":"3319900024#"}]}
      """, .saracroche)
    #expect(ranges.ranges.map(\.range.text) == ["+3319900024x", "+331990100xx", "+3319903xxxx"])
    #expect(ranges.ranges.map(\.treatment) == [.block, .block, .identify])
    #expect((ranges.entries.count, ranges.rejected.count, ranges.rejected.rows) == (0, 2, 7))
  }

  @Test func `regular expressions of SpamBlocker that are prefixes are rules for ranges`() throws {
    let text = """
      pattern,description
      ^33199.*,Sales
      \\+33200\\d{6},Sales
      \\+?33270[0-9]*$,Sales
      33271......,Sales
      33199000248,Sales
      .*33199,Sales
      ^(33|34).*,Sales
      ^33[12].*,Sales

      """
    let content = try read(text, .spamBlockerCSV)
    #expect(content.ranges.map(\.range.text) == ["+33199*", "+33200xxxxxx", "+33270*", "+33271xxxxxx"])
    #expect(content.entries.map(\.number) == [33_199_000_248])
    #expect(content.rejected.count == 3)
  }

  @Test func `each rejected row has its place, the beginning of its text and a reason`() throws {
    func examples(_ text: String, _ format: SourceFormat) throws -> [String] {
      let rejected = try read(text, format).rejected
      #expect(rejected.reasons.values.reduce(0, +) == rejected.count)
      return rejected.examples.map { "\($0.row) \($0.reason) \($0.text)" }
    }
    let long = String(repeating: "z", count: 300)
    let csv =
      "number;note\n+12015550123;a\n\n+12\t34;b\nonly\u{202E}<b>;c\n+12015550124;\"d\n+12015550125\n\(long);e\n+12015550126\n+33199000248\n"
    #expect(
      try examples(csv, .csv) == [
        "4 not_a_number +12\\u{9}34", "5 not_a_number only\\u{202E}<b>", "6 bad_quote +12015550124;\"d",
        "8 too_long \(String(repeating: "z", count: 80))…",
      ])
    let members = [
      #"{"phone":"+12015550123"}"#, #"{"phone":"unknown"}"#, #"{"tel":"\#(long)"}"#, #"{"phone":"+33199000248"}"#,
      #"{"pattern":"3#3"}"#, #"{"phone":"+33199000249"}"#,
    ]
    #expect(
      try examples(#"{"version":1,"numbers":[\#(members.joined(separator: ","))]}"#, .phoneBlock) == [
        "2 not_a_number unknown", "3 bad_field \(#"{"tel":""#)\(String(repeating: "z", count: 72))…",
        #"5 not_a_number {"pattern":"3#3"}"#,
      ])
    #expect(
      try examples("<a><n>+12015550123</n><n/><n>0199</n><n>+12015550124</n></a>", .spamBlockerXML) == [
        "2 empty_number <n>", "3 needs_region 0199",
      ])
    let expressions = try read("pattern\n+33199000248\n^331.*|^332.*\n^1.*\n+33199000249\n", .spamBlockerCSV).rejected
    #expect(expressions.examples.map { "\($0.row) \($0.text)" } == ["3 ^331.*|^332.*", "4 +1*"])
  }

  @Test func `a refused file names its rejected rows`() throws {
    let refused = #expect(throws: RejectedFile.self) { try read("number\n+12015550123\nx\ny\n", .csv) }
    #expect(refused?.rejected.reasons == ["not_a_number": 2] && refused?.rejected.examples.map(\.row) == [3, 4])
    #expect(refused?.failure == .tooManyRejects(rejected: 2, rows: 3))
  }

  @Test(arguments: [
    "[]", "<html>", #"{"numbers":[{"phone":"+12015550123"}"#, #"{"a":"#, "", String(repeating: "[", count: 50),
    "{\"a\":" + String(repeating: "[", count: 50),
  ])
  func `other JSON is refused`(text: String) throws {
    #expect(try code(text, .phoneBlock) == .unreadable)
  }

  @Test func `a list without entries or mostly of other things is refused`() throws {
    #expect(try code("number\n", .csv) == .noEntries)
    #expect(try code("", .csv) == .noEntries)
    #expect(try code(#"{"numbers":[],"version":1}"#, .phoneBlock) == .noEntries)
    #expect(try code("a,b\n1,2\n", .csv) == .missingColumn)
    #expect(try code("number\n+12015550123\nx\ny\n", .csv) == .tooManyRejects)
    #expect(try code("number\n+12015550123\n+33199000248\n", .csv, most: 1) == .tooManyEntries)
    #expect(try code("\(String(repeating: "x", count: 2 << 20))\n", .csv) == .unreadable)
    let long = String(repeating: "1", count: 2 << 20)
    #expect(try code("number\n\(long)\n\(long)\n+12015550123\n", .csv) == .tooManyRejects)
    #expect(try code(#"{"numbers":[{"phone":"\#(long)"}],"version":1}"#, .phoneBlock) == .tooManyRejects)
  }

  @Test func `a complete list of which everything is left out is refused`() throws {
    #expect(throws: SourceFailure.noEntries) { try read("number\n+12015550123\n", .csv) { $0.countries = ["FR"] } }
    #expect(throws: SourceFailure.noEntries) {
      try read("number\n+12015550123\n", .csv) { $0.categories = ["*": SourceOptions.skipped] }
    }
    #expect(throws: SourceFailure.noEntries) {
      try read("number\n+12015550123\n", .csv) { $0.categories = ["*": "legitimate"] }
    }
  }

  @Test func `reading ends after twice as many rows as there may be entries`() throws {
    let text = "number\n" + String(repeating: "+12015550123\n", count: 5)
    #expect(throws: SourceFailure.tooManyEntries(maximum: 2)) {
      try read(text, .csv, most: 2) { $0.countries = ["FR"] }
    }
  }

  @Test func `a cancelled task ends reading`() async throws {
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let path = try scratch.file("number\n" + String(repeating: "+12015550123\n", count: 5_000))
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await SourceContent.read(
        path: path, format: .csv, options: SourceOptions(), isComplete: true, limits: SourceReadLimits())
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test(arguments: [
    (SourceFormat.csv, "number\n+12015550123\n"), (.saracroche, #"{"patterns":[]}"#), (.spamBlockerXML, "<l/>"),
  ])
  func `reading ends at the limit of CPU time`(format: SourceFormat, text: String) async throws {
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let path = try scratch.file(text)
    var limits = SourceReadLimits()
    limits.work = .zero
    await #expect(throws: SourceFailure.tooMuchWork(seconds: 0)) {
      try await SourceContent.read(
        path: path, format: format, options: SourceOptions(), isComplete: true, limits: limits)
    }
  }

  @Test func `files of killed processes are removed at once and files in use stay`() throws {
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let left = try scratch.file("left")
    let folder = URL(filePath: left).deletingLastPathComponent().path
    try FileManager.default.moveItem(atPath: left, toPath: "\(folder)/left.tmp")
    let used = try SourceFile(folder: folder)
    SourceFile.clean(folder: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [URL(filePath: used.path).lastPathComponent])
    withExtendedLifetime(used) {}
  }

  @Test func `of several entries of a number the gravest category counts`() throws {
    let content = try read("number,k\n+12015550123,b\n+12015550123,a\n", .csv) { options in
      options.categoryColumn = "k"
      options.categories = ["a": "fraud", "b": "other"]
    }
    #expect(content.entries == [.init(number: 12_015_550_123, category: .fraud)])
  }
}
