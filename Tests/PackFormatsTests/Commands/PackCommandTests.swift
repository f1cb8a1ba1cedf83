// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PackDatabases
import PackFormats
import TestData
import Testing

@testable import PackCommands
@testable import RingfenceCommand

@Suite struct PackCommandTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private func path(_ name: String) -> String { scratch[name].path }

  /// Builds a pack of kind `both` from a list.
  private func build(_ entries: some Sequence<ListEntry>, as name: String = "a.pack") async throws {
    _ = try ListFormat.tsv.writer(to: .file(scratch["list.tsv"])).write(Array(entries))
    let said = await pack("build", "--in", path("list.tsv"), "--out", path(name), "--kind", "both", "--profile", "lean")
    #expect(said.code == 0, "\(said.remarks)")
  }

  private let small = [
    ListEntry(number: 5, blocks: true), ListEntry(number: 33_199_000_248, label: "Énergie", blocks: true),
    ListEntry(number: 33_199_000_249, label: "Shop", blocks: false),
  ]

  @Test func `a built pack can be dumped in every format`() async throws {
    let list = SampleLists.printable(5_000, seed: 30)
    try await build(list)
    #expect(await pack("dump", path("a.pack"), "--format", "tsv", "--out", path("again.tsv")).code == 0)
    #expect(try Data(contentsOf: scratch["again.tsv"]) == Data(contentsOf: scratch["list.tsv"]))
    for format in ListFormat.allCases {
      let said = await pack(
        "dump", path("a.pack"), "--format", format.rawValue, "--out", path("out.\(format)"), "--over-limit", "truncate")
      #expect(said.code == 0, "\(format): \(said.remarks)")
      #expect(FileManager.default.fileExists(atPath: path("out.\(format)")))
    }
  }

  @Test func `any label is dumped and built again`() async throws {
    try await build([
      ListEntry(number: 5, label: "\t\n\r\\u0041\u{0}\u{85}\u{2029}", blocks: true),
      ListEntry(number: 6, label: String(repeating: "\u{1}", count: 65_534), blocks: false),
    ])
    #expect(await pack("dump", path("a.pack"), "--format", "tsv", "--out", path("again.tsv")).code == 0)
    #expect(try Data(contentsOf: scratch["again.tsv"]) == Data(contentsOf: scratch["list.tsv"]))
    #expect(await pack("lookup", path("a.pack"), "5", "--json").output.contains(#"\\u0041"#))
    for label in [#"\"#, #"\x"#, #"\u12"#, #"\ud800"#, #"a\ b"#] {
      try Data("5\t\(label)\n".utf8).write(to: scratch["list.tsv"])
      let said = await pack("build", "--in", path("list.tsv"), "--out", path("b.pack"), "--kind", "both")
      #expect(said.code == 1 && said.remarks.contains("line 1: a backslash in a label"), "\(label): \(said)")
    }
  }

  /// The vectors of Tests/Vectors: each that breaks a rule is refused by every command that reads all entries.
  @Test func `no command reads packs that break a rule`() async throws {
    let folder = Checkout.vectors
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/refused-packs").sorted()
    #expect(names.count >= 300)
    for name in names {
      let file = "\(folder)/refused-packs/\(name)"
      #expect(await pack("verify", file).code == 1, "verify \(name)")
      #expect(await pack("dump", file, "--format", "tsv", "--out", path("out.tsv")).code == 1, "dump \(name)")
    }
    let bases = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/packs").filter { $0.hasSuffix("rfpack") }
    for base in bases {
      let dumped = await pack("dump", "\(folder)/packs/\(base)", "--format", "tsv", "--out", path("list.tsv"))
      let expected = base.replacingOccurrences(of: ".rfpack", with: ".tsv")
      #expect(dumped.code == 0, "\(base): \(dumped)")
      #expect(
        try Data(contentsOf: scratch["list.tsv"])
          == Data(contentsOf: URL(fileURLWithPath: "\(folder)/packs/\(expected)")))
    }
    #expect(scratch.names == ["list.tsv"])
  }

  @Test func `an independent parser reads the JSON of pack info`() async throws {
    try await build(small)
    let json = await pack("info", path("a.pack"), "--json")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "both" && object["entries"] as? Int == 3)
    #expect(object["blocking"] as? Int == 2 && object["identification"] as? Int == 2)
    #expect((object["sha256"] as? String)?.count == 64)
    #expect(await pack("info", path("a.pack")).output.contains("kind"))
  }

  @Test func `progress has the unit of the work`() async throws {
    try Data("5\n".utf8).write(to: scratch["list.tsv"])
    let built = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "blocking")
    #expect(built.unit == .bytes)
    #expect(await pack("verify", path("a.pack")).unit == .items("files"))
    #expect(await pack("dump", path("a.pack"), "--format", "tsv", "--out", path("d")).unit == .items("numbers"))
  }

  @Test func `invalid pack options are a usage error`() async throws {
    try Data("5\n".utf8).write(to: scratch["list.tsv"])
    for wrong in [
      ["--out", path("a.pack"), "--region", "é"], ["--out", path("a.pack"), "--maximum", "0"], ["--out", "-"],
    ] {
      #expect(await pack("build", "--in", path("list.tsv"), "--kind", "blocking", more: wrong).code == 2, "\(wrong)")
    }
    #expect(!PackBuildCommand.helpMessage().contains("default: 2"))
  }

  @Test func `an empty pack is built with a warning`() async throws {
    try Data().write(to: scratch["list.tsv"])
    let said = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "blocking")
    #expect(said.code == 0 && said.output.contains("0 entries"))
    #expect(said.remarks == "warning: \(path("list.tsv")) has no entries, so \(path("a.pack")) is an empty pack.\n")
    try Data("5\n".utf8).write(to: scratch["list.tsv"])
    #expect(await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "blocking").remarks == "")
  }

  /// A list without line ends is refused before it fills the memory.
  @Test func `a line longer than any entry is refused`() async throws {
    try Data(repeating: 0x31, count: 400_001).write(to: scratch["list.tsv"])
    let said = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "blocking")
    #expect(said.code == 1 && said.remarks.contains("line 1: the line is longer than any entry"))
    try Data(("1\t" + String(repeating: "x", count: 65_534) + "\n2\ty").utf8).write(to: scratch["list.tsv"])
    let long = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "identification")
    #expect(long.code == 0, "\(long.remarks)")
  }

  @Test func `lookup prints the entry of a number`() async throws {
    try await build(small)
    #expect(await pack("lookup", path("a.pack"), "+33199000248").output == "+33199000248: blocked \"Énergie\"\n")
    #expect(await pack("lookup", path("a.pack"), "5").output == "+5: blocked\n")
    #expect(await pack("lookup", path("a.pack"), "33199000249").output == "+33199000249: named \"Shop\"\n")
    #expect(await pack("lookup", path("a.pack"), "6").output == "+6: not listed\n")
    let json = await pack("lookup", path("a.pack"), "+33199000249", "--json").output
    #expect(json == "{\"blocked\":false,\"label\":\"Shop\",\"listed\":true,\"number\":33199000249}\n")
  }

  @Test func `an applied delta makes the same pack`() async throws {
    try await build(small, as: "a.pack")
    try await build(Array(small.dropFirst()) + [ListEntry(number: 44_000_000_000, blocks: true)], as: "b.pack")
    #expect(await pack("diff", path("a.pack"), path("b.pack"), "--out", path("d")).code == 0)
    #expect(await pack("info", path("d"), "--json").output.contains("\"type\" : \"delta\""))
    #expect(await pack("apply", path("a.pack"), path("d"), "--out", path("c.pack")).code == 0)
    #expect(try Data(contentsOf: scratch["b.pack"]) == Data(contentsOf: scratch["c.pack"]))
    let wrong = await pack("apply", path("b.pack"), path("d"), "--out", path("e.pack"))
    #expect(wrong.code == 1 && wrong.remarks.contains("another pack"))
    #expect(!FileManager.default.fileExists(atPath: path("e.pack")))
  }

  /// Labels of other words fit the dictionary of the former ones badly: each character is spelled.
  @Test(arguments: [("Bank ", true), ("Ærøskøbing ", false)])
  func `a dictionary is used again only where it makes the delta smaller`(_ word: String, _ isReused: Bool) async throws
  {
    /// The checksum of the dictionary of a new pack (PackFormat 4).
    func build(_ name: String, _ word: String, _ more: String...) async throws -> Data {
      let lines = (0..<2_000).map { "\(6_434_000_000 + $0)\t\(word)\(String($0 * 7_919 % 2_003, radix: 36))\n" }
      try Data(lines.joined().utf8).write(to: scratch["list"])
      let said = await pack(
        "build", "--in", path("list"), "--out", path(name), "--kind", "identification", more: more)
      try #require(said.code == 0, "\(said.remarks)")
      return try Data(contentsOf: scratch[name])[112..<116]
    }
    let base = try await build("base", "Bank ")
    #expect(try await (build("result", word, "--dictionary-of", path("base")) == base) == isReused)
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch["base"].deletingLastPathComponent().path)
    #expect(files.sorted() == ["base", "list", "result"])
  }

  @Test func `verify accepts the pack as a call directory extension`() async throws {
    try await build(SampleLists.printable(3_000, seed: 31))
    let said = await pack("verify", path("a.pack"), "--as-extension")
    #expect(said.code == 0 && said.output.contains("as an extension:"), "\(said)")
    try await build(SampleLists.printable(3_000, seed: 31).dropLast(500), as: "older.pack")
    let changes = await pack("verify", path("a.pack"), "--as-extension", "--from", path("older.pack"))
    #expect(changes.code == 0 && changes.output.contains("0 to remove in 1 request,"), "\(changes)")
    #expect(await pack("verify", path("a.pack"), "--from", path("older.pack")).code == 2)
  }

  @Test func `a Live Caller ID dataset is exported`() async throws {
    try await build(small)
    let said = await pack(
      "export-live-caller-id", path("a.pack"), "--out", path("set"), "--bundle-id", "org.example.lookup",
      "--apple-test-row", "--shards", "2", "--buckets", "64")
    #expect(said.code == 0, "\(said.remarks)")
    #expect(FileManager.default.fileExists(atPath: path("set/identity.binpb")))
  }

  @Test(arguments: [
    ("5\n4\n", 4), ("5\n5\n", 5), ("1234567890123456\n", 1_234_567_890_123_456), ("5\t\n", 5),
  ]) func `an invalid entry is named in the error`(list: String, number: Int64) async throws {
    try Data(list.utf8).write(to: scratch["list.tsv"])
    let said = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "both")
    #expect(said.code == 1 && said.remarks.contains("\(number)"), "\(said)")
    #expect(scratch.names == ["list.tsv"])
  }

  @Test(arguments: [
    "x\n", "\n", "5\tA\tmaybe\n", "5\tA\tblock\tmore\n", "05\n", "5 \n", "+\n", "99999999999999999999\n",
  ])
  func `an invalid line is named in the error`(list: String) async throws {
    try Data("1\n\(list)".utf8).write(to: scratch["list.tsv"])
    let said = await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "both")
    #expect(said.code == 1 && said.remarks.hasPrefix("error: line 2"), "\(said)")
  }

  @Test func `CRLF lines and a missing last line end are accepted`() async throws {
    try Data("+5\r\n33199000248\tA\r\n33199000249\tB\tblock".utf8).write(to: scratch["list.tsv"])
    #expect(await pack("build", "--in", path("list.tsv"), "--out", path("a.pack"), "--kind", "both").code == 0)
    #expect(await pack("lookup", path("a.pack"), "33199000249").output == "+33199000249: blocked \"B\"\n")
  }

  @Test func `exit codes distinguish usage errors from bad data`() async throws {
    try await build(small)
    // Exit code 2: wrong usage.
    #expect(await pack("build", "--in", "-").code == 2)
    #expect(await pack("dump", path("a.pack"), "--format", "sqlite").code == 2)
    #expect(await pack("dump", path("a.pack"), "--format", "excel").code == 2)
    #expect(await pack("lookup", path("a.pack"), "0049").code == 2)
    let export = await pack("export-live-caller-id", path("a.pack"), "--out", path("x"), "--bundle-id", "a b")
    #expect(export.code == 2)
    // Exit code 3: files.
    for arguments in [["info"], ["verify"], ["verify", "--as-extension"], ["dump", "--format", "tsv"]] {
      let said = await pack(arguments[0], path("missing"), more: arguments.dropFirst())
      #expect(said.code == 3, "\(arguments): \(said)")
    }
    #expect(await pack("dump", path("a.pack"), "--format", "tsv", "--out", path("no/where")).code == 3)
    #expect(await pack("build", "--in", path("missing"), "--out", path("b"), "--kind", "both").code == 3)
    // Exit code 1: wrong data.
    try Data("no pack at all".utf8).write(to: scratch["junk"])
    #expect(await pack("verify", path("junk")).code == 1)
    #expect(await pack("info", path("junk")).code == 1)
    let long = await pack("dump", path("a.pack"), "--format", "fritzbox", "--phonebook-limit", "1")
    #expect(long.code == 1 && long.remarks.contains("33199000248"))
    // Exit code 0: help.
    #expect(await pack("--help").code == 0)
  }
}
