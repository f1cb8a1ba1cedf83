// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import Testing

/// The files in Golden/ define version 1: a writer with other bytes has broken the format, or the rule that the same
/// entries give the same bytes. With RINGFENCE_WRITE_GOLDEN=1 missing files are written.
@Suite struct GoldenTests {
  static let folder = testFolder + "/Golden/"

  static let lists: [(name: String, options: PackWriter.Options, entries: [PackEntry])] = [
    ("empty", .init(kind: .blocking), []),
    (
      "blocking", .init(kind: .blocking, region: "US", serial: 1, createdAt: 1_700_000_000),
      (0..<200).map { PackEntry(number: 12_025_550_000 + $0 * $0 * 3) }
    ),
    ("example", .init(kind: .both, region: "NZ", serial: 2, createdAt: 1_700_000_000, profile: .lean), example),
    (
      "labels", .init(kind: .identification, region: "x.y_z-1", serial: .max, createdAt: -1, profile: .lean),
      (0..<300).map {
        PackEntry(
          number: 642_100_000 + $0 * 17 + ($0 % 9),
          label: ["Taco Bell", "学校 \($0 % 5)", "Dr \($0)", "Ünlü"][Int($0) / 2 % 4])
      }
    ),
  ]

  static let example = [
    PackEntry(number: 6_434_000_001, label: "Bank"),
    PackEntry(number: 6_434_000_002, label: "Bank"),
    PackEntry(number: 6_434_000_017),
    PackEntry(number: 6_434_000_100, label: "Scam", roles: [.blocks, .identifies]),
  ]

  private func golden(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
    let path = Self.folder + name
    if !FileManager.default.fileExists(atPath: path),
      ProcessInfo.processInfo.environment["RINGFENCE_WRITE_GOLDEN"] != nil
    {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
    return try contents(path)
  }

  @Test func `packs equal the golden files`() throws {
    for list in Self.lists {
      let bytes = try packBytes(list.entries, list.options)
      let stored = try golden(list.name + ".rfpack", bytes)
      #expect(bytes == stored, "\(list.name)")
      let reader = try PackReader(bytes: stored)
      try reader.verify()
      #expect(try entries(reader) == list.entries)
      #expect(reader.header.serial == list.options.serial && reader.header.region == list.options.region)
      #expect(reader.header.createdAt == list.options.createdAt && reader.header.profile == list.options.profile)
    }
  }

  @Test func `a delta equals the golden file and applies`() throws {
    let base = try PackReader(bytes: contents(Self.folder + "labels.rfpack"))
    var list = try entries(base)
    list.remove(at: 100)
    list[5].label = "Taco Bell"
    list.append(PackEntry(number: 700_000_000, label: "Dr 700"))
    let result = try PackReader(
      bytes: packBytes(list, .init(kind: .identification, region: "x", serial: 5, profile: .lean, dictionary: base)))
    let folder = try Folder()
    try DeltaBuilder.build(from: base, to: result, out: folder.file("d"))
    let stored = try golden("labels.rfdelta", contents(folder.file("d")))
    #expect(try contents(folder.file("d")) == stored)
    let delta = try PackDelta(bytes: stored)
    #expect(delta.header.removedCount == 1 && delta.header.changedCount == 1 && delta.header.addedCount == 1)
    try delta.apply(base: base, to: folder.file("b"))
    #expect(try entries(PackReader.open(path: folder.file("b"))) == list)
  }

  /// The worked example in the format's document equals the file `example.rfpack` byte for byte.
  @Test func `the example in the format document equals the golden pack`() throws {
    let document = try String(
      contentsOfFile: testFolder + "/../../Sources/CallerPack/CallerPack.docc/PackFormat.md", encoding: .utf8)
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "## 14 A worked example"))
    var bytes: [UInt8] = []
    for line in lines[start...].prefix(while: { $0 == lines[start] || !$0.hasPrefix("## ") }) {
      let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count >= 3, Int(parts[0]) == bytes.count else { continue }
      for byte in parts[1].split(separator: " ") { bytes.append(try #require(UInt8(byte, radix: 16))) }
    }
    #expect(try bytes == contents(Self.folder + "example.rfpack"))
  }

  private static let python = "/usr/bin/python3"

  /// The reader in Scripts/ was written from the document alone and shares no code with this one.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: python), "There is no \(python)."))
  func `the independent reader reads the same entries`() throws {
    let script = testFolder + "/../../Scripts/pack_reader.py"
    let folder = try Folder()
    var random = Seeded(41)
    for kind in PackKind.allCases {
      for count in [0, 1, 40, 6000] {
        let list = randomEntries(kind, count: count, &random)
        let path = folder.file("\(kind)-\(count)")
        try Data(packBytes(list, .init(kind: kind, profile: .lean))).write(to: URL(fileURLWithPath: path))
        let (output, status) = try run(Self.python, [script, path])
        let expected = list.map { "\($0.number)\t\($0.roles.rawValue)\t\($0.label ?? "")\n" }.joined()
        #expect(status == 0 && output == expected, "\(kind) \(count)")
      }
    }
  }
}
