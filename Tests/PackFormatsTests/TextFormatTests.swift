// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import PackDatabases
import Testing

@Suite struct TextFormatTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test func `an independent reader reads the JSON lines`() throws {
    let list = SampleLists.mixed(2_000, seed: 1)
    let file = scratch["list.jsonl"]
    #expect(try ListFormat.jsonl.writer(to: .file(file)).write(list).written == 2_000)
    let script = """
      import json, sys
      rows = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8', newline='\\n')]
      json.dump(rows, sys.stdout)
      """
    #expect(try Python.run(script, file.path, as: [Row].self) == list.map(Row.init))
  }

  @Test func `an independent reader reads the CSV fields`() throws {
    let list = SampleLists.mixed(2_000, seed: 2)
    let file = scratch["list.csv"]
    let summary = try ListFormat.csv.writer(to: .file(file)).write(list)
    let script = """
      import csv, json, sys
      with open(sys.argv[1], encoding='utf-8', newline='') as f:
        rows = list(csv.DictReader(f, strict=True))
      json.dump([dict(number=int(r['number']), label=r['label'] or None, block=r['block']=='1') for r in rows], sys.stdout)
      """
    let formulas = list.filter { $0.label.map { CSVField.encode($0).altered } ?? false }
    #expect(summary.altered == UInt64(formulas.count) && !formulas.isEmpty)
    let expected = list.map { entry in
      var row = Row(entry)
      if formulas.contains(entry) { row.label = "'" + (entry.label ?? "") }
      return row
    }
    #expect(try Python.run(script, file.path, as: [Row].self) == expected)
    #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("number,label,block,pattern\r\n"))
  }

  /// As a spreadsheet reads it, with a comma or with a semicolon between fields.
  @Test(arguments: [",", ";"]) func `a cell is never a formula in a spreadsheet`(separator: String) throws {
    let signs = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t=", "\r=", "\n="]
    let before = ["", " ", "\u{A0}", "\u{3000}", "\u{FEFF}", "\"", "'"]
    let hostile = signs.flatMap { sign in before.map { $0 + sign + "1+1" } } + signs.map { "a;\($0)1" }
    let file = scratch["cells.csv"]
    let text = hostile.map { CSVField.encode($0).text }.joined(separator: separator + "\r\n") + "\r\n"
    try text.write(to: file, atomically: true, encoding: .utf8)
    let script = """
      import csv, json, sys
      with open(sys.argv[1], encoding='utf-8', newline='') as f:
        json.dump([row[0] for row in csv.reader(f, delimiter='\(separator)', strict=True)], sys.stdout)
      """
    let cells = try Python.run(script, file.path, as: [String].self)
    #expect(cells.count == hostile.count)
    for (cell, sent) in zip(cells, hostile) {
      #expect(cell == (sent.hasPrefix("a") ? sent : "'" + sent))
    }
    #expect(CSVField.encode("plain") == ("plain", false) && CSVField.encode("").text == "")
    #expect(CSVField.encode("a, \"b\"").text == "\"a, \"\"b\"\"\"")
  }

  /// A quotation mark that an accent is put on is one character to Swift and still a quotation mark to a reader.
  @Test func `a quotation mark with a combining accent is escaped`() throws {
    let file = scratch["list.csv"]
    let list = [
      ListEntry(number: 1, label: "a\"\u{301},=1+1", blocks: false), ListEntry(number: 2, label: "b", blocks: true),
    ]
    _ = try ListFormat.csv.writer(to: .file(file)).write(list)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(Array(text.utf8) == Array("number,label,block,pattern\r\n1,\"a\"\"\u{301},=1+1\",0,\r\n2,b,1,\r\n".utf8))
  }

  @Test(arguments: [
    (ListFormat.csv, "12,,1,\r\n33161998,,1,\r\n33161999,,1,\r\n,,1,331620xx\r\n"),
    (.saracroche, #""pattern":"331620##""#),
    (.spamblocker, #"\#n331620\d{2}"#), (.tranquille, ",+331620##,"), (.fossify, "+12,+33161998,+33161999,+331620*"),
    (.fritzbox, ">+331620*<"), (.callblocker, #"{"number":"+331620""#),
    (
      .ranges, ##"{"first":"+12","last":"+12","block":true},\##n{"first":"+33161998","last":"+33162099","block":true}"##
    ),
    (.tsv, "33162000\n33162001\n"),
  ])
  func `numbers in a row are written as patterns where a format has them`(_ format: ListFormat, _ part: String) throws {
    let file = scratch["list"]
    _ = try format.writer(to: .file(file)).write([
      ListEntry(number: 12, blocks: true), ListEntry(number: 33_161_998, last: 33_162_099, blocks: true),
    ])
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(part), "\(text)")
    // Shorter runs are single numbers.
    if format != .ranges { #expect(text.contains("33161998"), "\(text)") }
  }

  /// A folder represents everything except regular files: a device would be replaced too.
  @Test(arguments: [ListFormat.csv, .sqlite]) func `a path that is not a regular file is not replaced`(
    format: ListFormat
  ) throws {
    try FileManager.default.createDirectory(at: scratch["folder"], withIntermediateDirectories: true)
    #expect(throws: PackFormatError.self) { try format.writer(to: .file(scratch["folder"])) }
  }

  @Test(arguments: [ListFormat.csv, .sqlite]) func `a symbolic link stays and its target is replaced`(
    format: ListFormat
  ) throws {
    try Data().write(to: scratch["list.1"])
    try FileManager.default.createSymbolicLink(atPath: scratch["now"].path, withDestinationPath: "list.1")
    _ = try format.writer(to: .file(scratch["now"])).write([ListEntry(number: 1, blocks: true)])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch["now"].path) == "list.1")
    #expect(try !Data(contentsOf: scratch["list.1"]).isEmpty)
  }

  @Test func `an independent reader reads the TSV columns`() throws {
    let list = SampleLists.mixed(2_000, seed: 3)
    let file = scratch["list.tsv"]
    #expect(try ListFormat.tsv.writer(to: .file(file)).write(list).altered == 0)
    let script = #"""
      import json, re, sys
      names = {'\\': '\\', 't': '\t', 'n': '\n', 'r': '\r'}
      def plain(text):
        return re.sub(r'\\(u[0-9a-f]{4}|.)', lambda m: names.get(m[1]) or chr(int(m[1][1:], 16)), text)
      def row(line):
        c = line.rstrip('\n').split('\t')
        return dict(number=int(c[0]), label=plain(c[1]) if len(c) > 1 else None, block=len(c) == 1 or c[2:] == ['block'])
      json.dump([row(l) for l in open(sys.argv[1], encoding='utf-8', newline='\n')], sys.stdout)
      """#
    #expect(try Python.run(script, file.path, as: [Row].self) == list.map(Row.init))
  }

  @Test func `control characters cannot break a line`() throws {
    let file = scratch["list.tsv"]
    let list = [
      ListEntry(number: 1, label: "a\tb\nc\u{2028}d\\n\r\u{0}\u{9F}", blocks: false),
      ListEntry(number: 2, label: "e\u{301} \u{202E}", blocks: true),
    ]
    #expect(try ListFormat.tsv.writer(to: .file(file)).write(list).altered == 0)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(Array(text.utf8) == Array("1\ta\\tb\\nc\\u2028d\\\\n\\r\\u0000\\u009f\n2\te\u{301} \u{202E}\tblock\n".utf8))
  }

  @Test(arguments: [false, true]) func `an independent reader reads the 2GIS records`(gzip: Bool) throws {
    let list = SampleLists.mixed(3_000, seed: 4)
    let file = scratch["list.bin"]
    _ = try (gzip ? ListFormat.twoGISGzip : .twoGIS).writer(to: .file(file)).write(list)
    let script = """
      import gzip, json, struct, sys
      data = (gzip.open if sys.argv[2] == 'true' else open)(sys.argv[1], 'rb').read()
      rows, at = [], 0
      while at < len(data):
        length, number = struct.unpack_from('<HQ', data, at)
        name = data[at + 10:at + 2 + length].decode('utf-8')
        rows.append(dict(number=number, label=name or None, block=False))
        at += 2 + length
      json.dump(rows, sys.stdout)
      """
    let expected = list.map { entry in
      var row = Row(entry)
      row.block = false
      return row
    }
    #expect(try Python.run(script, file.path, "\(gzip)", as: [Row].self) == expected)
  }

  @Test func `a name that is too long for 2GIS is refused`() throws {
    let writer = try ListFormat.twoGIS.writer(to: .file(scratch["list.bin"]))
    try writer.append(ListEntry(number: 1, label: String(repeating: "x", count: 65_527), blocks: false))
    #expect(throws: PackFormatError.self) {
      try writer.append(ListEntry(number: 2, label: String(repeating: "x", count: 65_528), blocks: false))
    }
  }
}
