import CallerPack
import CallerPackBuilder
import Foundation
import TestData
import Testing

/// The real lists: whole where they are short, samples where a debug build would take minutes.
@Suite struct ListTests {
  private static func lines(_ name: String, _ count: Int) throws -> [Substring]? {
    guard let path = Checkout.shared("data/\(name)") else { return nil }
    let (output, _) = try run("/bin/sh", ["-c", "xz -dc \"$0\" | head -n \(count)", path])
    return output.split(whereSeparator: \.isNewline)
  }

  private static func entry(_ line: Substring) -> PackEntry? {
    let parts = line.split(separator: "\t", maxSplits: 1)
    guard let first = parts.first, let number = Int64(first) else { return nil }
    return PackEntry(number: number, label: parts.count > 1 ? String(parts[1]) : nil)
  }

  @Test(arguments: [
    ("packs/block-2m.txt.xz", PackKind.blocking, 40_000, 2.0),
    ("packs/toxic-100k.tsv.xz", .identification, 10_000, 2.6),
    ("packs/directory-2m.tsv.xz", .identification, 3_000, 30),
  ])
  func list(name: String, kind: PackKind, count: Int, most: Double) throws {
    guard let lines = try Self.lines(name, count) else { return }
    let list = lines.compactMap(Self.entry)
    #expect(list.count == count)
    let bytes = try packBytes(list, .init(kind: kind))
    let reader = try PackReader(bytes: bytes)
    try reader.verify()
    #expect(try entries(reader) == list)
    #expect(Double(bytes.count) / Double(count) < most)
  }

  /// Two states of a rolling list, 23 days apart: the numbers up to where a debug build is quick enough.
  @Test func theRollingListsAsADelta() throws {
    let names = ["complaints/ftc-rolling-2025-10-28.csv.xz", "complaints/ftc-rolling-2025-11-20.csv.xz"]
    var readers: [PackReader] = []
    for name in names {
      guard let lines = try Self.lines(name, 1_000_000) else { return }
      let numbers = Set(lines.compactMap { Int64($0) }.filter { $0 >= 2_000_000_000 && $0 < 2_300_000_000 }).sorted()
      let list = numbers.map { PackEntry(number: 10_000_000_000 + $0) }
      readers.append(try PackReader(bytes: packBytes(list, .init(kind: .blocking, serial: UInt64(readers.count)))))
    }
    let folder = try Folder()
    let summary = try DeltaBuilder.build(from: readers[0], to: readers[1], out: folder.file("d"))
    let delta = try PackDelta.open(path: folder.file("d"))
    #expect(delta.header.addedCount > 100)
    #expect(summary.bytes < readers[1].header.fileBytes)
    try delta.apply(base: readers[0], to: folder.file("b"))
    #expect(try PackReader.open(path: folder.file("b")).digest() == readers[1].digest())
    #expect(try DeltaTests.played(entries(readers[0]), delta.makeChanges(base: readers[0])) == entries(readers[1]))
  }
}
