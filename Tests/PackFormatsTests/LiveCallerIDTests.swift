// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackFormats
import PackDatabases
import Testing

@Suite struct LiveCallerIDTests {
  let scratch: Scratch
  init() throws { scratch = try Scratch() }

  /// A manual reader of the wire format: tags, varints and lengths, without generated code.
  private static let reader = """
    import json, sys
    def varint(b, at):
      value = shift = 0
      while True:
        value |= (b[at] & 127) << shift
        at += 1
        if b[at - 1] < 128: return value, at
        shift += 7
    def fields(b):
      at, out = 0, []
      while at < len(b):
        tag, at = varint(b, at)
        if tag & 7 == 0:
          value, at = varint(b, at)
        else:
          assert tag & 7 == 2
          size, at = varint(b, at)
          value, at = b[at:at + size], at + size
          assert len(value) == size
        out.append((tag >> 3, value))
      return out
    rows = []
    for number, row in fields(open(sys.argv[1], 'rb').read()):
      assert number == 1
      row = dict(fields(row))
      value = row[2]
      if sys.argv[2] == 'block':
        rows.append(dict(keyword=row[1].decode(), name=None, bytes=list(value), minutes=0, category=0))
      else:
        one = dict(fields(value))
        rows.append(dict(keyword=row[1].decode(), name=one[1].decode(), bytes=[], minutes=one.get(3, 0), category=one.get(4, 0)))
    json.dump(rows, sys.stdout)
    """

  struct Answer: Codable, Equatable {
    var keyword: String
    var name: String?
    var bytes: [Int] = []
    var minutes = 0
    var category = 0
  }

  private func rows(_ database: String) throws -> [Answer] {
    try Python.run(Self.reader, scratch["out/\(database).binpb"].path, database, as: [Answer].self)
  }

  private func options(_ change: (inout LiveCallerIDOptions) -> Void = { _ in }) -> LiveCallerIDOptions {
    var options = LiveCallerIDOptions(extensionBundleID: "org.example.app.lookup")
    change(&options)
    return options
  }

  @Test func `an independent reader reads the Live Caller ID rows`() throws {
    let list = SampleLists.mixed(3_500, seed: 10)
    let options = options {
      $0.cacheExpiryMinutes = 1_440
      $0.category = .business
    }
    let summary = try LiveCallerIDWriter(folder: scratch["out"], options: options).write(list)
    #expect(summary.written == 3_500)
    let block = list.filter(\.blocks).map { Answer(keyword: "+\($0.number)", bytes: [1]) }
    #expect(try rows("block") == block)
    let identity = list.compactMap { entry in
      entry.label.map { Answer(keyword: "+\(entry.number)", name: $0, minutes: 1_440, category: 2) }
    }
    #expect(try rows("identity") == identity)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch["out"].path).sorted() == [
        "block.binpb", "block.json", "expected.tsv", "identity.binpb", "identity.json",
      ])
  }

  /// Written once by swift-protobuf 1.39.0.
  @Test func `the bytes are those of a library for protobuf`() throws {
    let options = options {
      $0.cacheExpiryMinutes = .max
      $0.category = .person
    }
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options).write(SampleLists.mixed(60, seed: 12))
    let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/LiveCallerID")
    for name in ["block.binpb", "identity.binpb"] {
      #expect(try Data(contentsOf: scratch["out/\(name)"]) == Data(contentsOf: golden.appending(path: name)), "\(name)")
    }
  }

  @Test(.enabled(if: (try? Python.execute(["protoc", "--version"])) != nil, "There is no protoc on this machine."))
  func `the reference compiler decodes the rows`() throws {
    let list = [ListEntry(number: 33_199_000_248, label: "Énergie", blocks: true)]
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options()).write(list)
    let proto = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../Sources/PackFormats/PackFormats.docc/Resources"
    ).standardizedFileURL.path
    let decoded = try Python.execute(
      [
        "protoc", "--decode=ringfence.live_caller_id.v1.KeywordDatabase", "--proto_path=\(proto)",
        "live_caller_id.proto",
      ], input: scratch["out/block.binpb"])
    #expect(String(decoding: decoded, as: UTF8.self) == "rows {\n  keyword: \"+33199000248\"\n  value: \"\\001\"\n}\n")
  }

  @Test func `configurations contain the settings that the tool needs`() throws {
    let list = [ListEntry(number: 1, label: "A", blocks: true)]
    let options = options {
      $0.shardCount = 4
      $0.bucketCount = 256
    }
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options).write(list)
    for name in ["block", "identity"] {
      let data = try Data(contentsOf: scratch["out/\(name).json"])
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object["rlweParameters"] as? String == "n_4096_logq_27_28_28_logt_5")
      #expect(object["inputDatabase"] as? String == "\(name).binpb")
      for key in ["outputDatabase", "outputPirParameters"] {
        #expect((object[key] as? String)?.contains("SHARD_ID") == true)
      }
      #expect(object["sharding"] as? [String: Int] == ["shardCount": 4])
      let table = try #require(object["cuckooTableArguments"] as? [String: Any])
      #expect(table["bucketCount"] as? [String: [String: Int]] == ["fixedSize": ["bucketCount": 256]])
    }
  }

  @Test func `the expected answers are a sample of the rows`() throws {
    let list = SampleLists.mixed(5_000, seed: 11)
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options()).write(list)
    let lines = try String(contentsOf: scratch["out/expected.tsv"], encoding: .utf8).split(separator: "\n")
    let cells = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(cells.allSatisfy { $0.count == 4 })
    let block = cells.filter { $0[0] == "org.example.app.lookup.block" }
    #expect((500...1_001).contains(block.count) && block.dropLast().allSatisfy { $0[2] == "01" })
    #expect(block.last?[1] == "+0" && block.last?[2] == "")
    let known = Set(list.map { "+\($0.number)" })
    #expect(cells.allSatisfy { $0[1] == "+0" || known.contains(String($0[1])) })
  }

  @Test(arguments: [1, 14_085_551_212, 20_000_000_000] as [Int64])
  func `the test row of Apple is added once and in order`(number: Int64) throws {
    let list = [ListEntry(number: number, label: "Somebody", blocks: true)]
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options { $0.includesAppleTestRow = true }).write(list)
    let rows = try rows("identity")
    #expect(rows.filter { $0.keyword == "+14085551212" }.map(\.name) == ["Johnny Appleseed"])
    #expect(rows.count == (number == 14_085_551_212 ? 1 : 2))
    let keywords = rows.compactMap { Int64($0.keyword) }
    #expect(keywords == keywords.sorted())
    #expect(try self.rows("block").map(\.keyword) == ["+\(number)"])
  }

  @Test func `an empty database is refused and leaves no files`() throws {
    let named = [ListEntry(number: 1, label: "A", blocks: false)]
    #expect(throws: PackFormatError.empty(what: "the block database")) {
      try LiveCallerIDWriter(folder: scratch["out"], options: options()).write(named)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["out"].path).isEmpty)
    _ = try LiveCallerIDWriter(folder: scratch["out"], options: options { $0.databases = [.identity] }).write(named)
    #expect(!FileManager.default.fileExists(atPath: scratch["out/block.binpb"].path))
    #expect(throws: PackFormatError.empty(what: "the block database")) {
      try LiveCallerIDWriter(folder: scratch["none"], options: options()).write([])
    }
  }

  @Test func `a duplicate number is refused`() throws {
    let twice = [ListEntry(number: 5, blocks: true), ListEntry(number: 5, blocks: true)]
    #expect(throws: PackFormatError.entry(number: 5, rule: "the number is already in the list")) {
      try LiveCallerIDWriter(folder: scratch["out"], options: options { $0.databases = [.block] }).write(twice)
    }
  }

  @Test func `invalid options are refused`() {
    let wrong: [(inout LiveCallerIDOptions) -> Void] = [
      { $0.extensionBundleID = "" }, { $0.extensionBundleID = "a b" }, { $0.databases = [] },
      { $0.shardCount = 0 }, { $0.bucketCount = 0 }, { $0.trialsPerShard = -1 },
      {
        $0.databases = [.block]
        $0.includesAppleTestRow = true
      },
    ]
    for change in wrong {
      #expect(throws: PackFormatError.self) { try LiveCallerIDWriter(folder: scratch["out"], options: options(change)) }
    }
  }
}
