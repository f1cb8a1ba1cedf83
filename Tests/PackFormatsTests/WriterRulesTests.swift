// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import PackDatabases
import Testing

@Suite struct WriterRulesTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  @Test(arguments: ListFormat.allCases) func `an invalid entry is refused and named`(format: ListFormat) throws {
    let long = String(repeating: "x", count: 65_535)
    let wrong: [([ListEntry], Int64)] = [
      ([ListEntry(number: 0, blocks: true)], 0),
      ([ListEntry(number: -5, blocks: true)], -5),
      ([ListEntry(number: 1_000_000_000_000_000, blocks: true)], 1_000_000_000_000_000),
      ([ListEntry(number: 7, blocks: true), ListEntry(number: 7, blocks: true)], 7),
      ([ListEntry(number: 7, blocks: true), ListEntry(number: 6, blocks: true)], 6),
      ([ListEntry(number: 7, label: "", blocks: true)], 7),
      ([ListEntry(number: 7, label: long, blocks: true)], 7),
      ([ListEntry(number: 7, blocks: false)], 7),
    ]
    for (entries, culprit) in wrong {
      do {
        _ = try format.writer(to: .file(scratch["out"])).write(entries)
        Issue.record("\(format) took \(culprit)")
      } catch PackFormatError.entry(let number, _) {
        #expect(number == culprit)
      }
      #expect(scratch.names.isEmpty)
    }
  }

  @Test(arguments: ListFormat.allCases) func `the same list gives the same bytes`(format: ListFormat) throws {
    let list = SampleLists.mixed(3_000, seed: 9)
    _ = try format.writer(to: .file(scratch["a"])).write(list)
    _ = try format.writer(to: .file(scratch["b"])).write(list)
    let first = try Data(contentsOf: scratch["a"])
    #expect(try first == Data(contentsOf: scratch["b"]) && !first.isEmpty)
  }

  @Test(arguments: ListFormat.allCases) func `a file is replaced completely or not at all`(format: ListFormat) throws {
    try Data("before".utf8).write(to: scratch["out"])
    do {
      let writer = try format.writer(to: .file(scratch["out"]))
      try writer.append(ListEntry(number: 1, blocks: true))
    }
    #expect(try Data(contentsOf: scratch["out"]) == Data("before".utf8))
    _ = try format.writer(to: .file(scratch["out"])).write([ListEntry(number: 1, blocks: true)])
    #expect(try Data(contentsOf: scratch["out"]) != Data("before".utf8))
    #expect(scratch.names == ["out"])
  }

  @Test(arguments: ListFormat.allCases) func `a missing folder is a file error`(format: ListFormat) throws {
    do {
      _ = try format.writer(to: .file(scratch["nowhere"].appendingPathComponent("out")))
      Issue.record("\(format) created a file in no folder")
    } catch PackFormatError.file {}
  }
}
