// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Testing

@Suite struct WriterRulesTests {
  private func refusal(_ kind: PackKind, _ list: [PackEntry], most: Int = 10) throws -> PackError? {
    let folder = try Folder()
    let writer = try PackWriter(path: folder.file("a"), options: .init(kind: kind, maximumEntries: most))
    do {
      for entry in list { try writer.append(entry) }
      return nil
    } catch {
      return error
    }
  }

  @Test func `numbers must ascend and be in range`() throws {
    let twice = try #require(try refusal(.blocking, [.init(number: 5), .init(number: 5)]))
    #expect(twice.code == .badEntry && twice.entry == 1 && twice.number == 5)
    #expect(twice.description == "entry 1 (number 5): a number is in the list twice; remove the duplicate")
    #expect(try refusal(.blocking, [.init(number: 5), .init(number: 4)])?.entry == 1)
    #expect(try refusal(.blocking, [.init(number: 0)])?.entry == 0)
    #expect(try refusal(.blocking, [.init(number: .min)])?.entry == 0)
    #expect(try refusal(.blocking, [.init(number: 1_000_000_000_000_000)])?.entry == 0)
    #expect(try refusal(.blocking, [.init(number: 999_999_999_999_999)]) == nil)
  }

  @Test func `an invalid label is refused`() throws {
    #expect(try refusal(.identification, [.init(number: 1, label: "")])?.rule == "a label is not empty")
    #expect(try refusal(.identification, [.init(number: 1, label: String(repeating: "a", count: 65_535))]) != nil)
    #expect(try refusal(.identification, [.init(number: 1)]) != nil)
    #expect(try refusal(.blocking, [.init(number: 1, label: "x")]) != nil)
    #expect(try refusal(.both, [.init(number: 1, label: "x", roles: .blocks)]) != nil)
    #expect(try refusal(.both, [.init(number: 1, label: "x", roles: [])]) != nil)
    let folder = try Folder()
    let writer = try PackWriter(path: folder.file("a"), options: .init(kind: .identification))
    #expect(throws: PackError.self) {
      try [0x61, 0xC0, 0x80].withUnsafeBytes { try writer.append(1, roles: .identifies, labelUTF8: $0) }
    }
  }

  /// Entries times the bytes of the longest label: 65,538 times 65,534 are just within the limit.
  @Test func `all labels together have a limit`() throws {
    let long = String(repeating: "a", count: PackLimits.labelBytes)
    let list = (1...65_539).map { PackEntry(number: $0, label: $0 == 7 ? long : "b") }
    #expect(try refusal(.identification, list, most: 100_000)?.entry == 65_538)
    #expect(try refusal(.identification, list.dropLast(), most: 100_000) == nil)
  }

  @Test func `the entry limit counts both roles`() throws {
    let list = (1...3).map { PackEntry(number: $0, label: "x", roles: [.blocks, .identifies]) }
    #expect(try refusal(.both, list, most: 6) == nil)
    #expect(try refusal(.both, list, most: 5)?.entry == 2)
    #expect(throws: PackError.self) { try PackWriter(path: "x", options: .init(kind: .both, maximumEntries: 0)) }
    #expect(throws: PackError.self) { try PackWriter(path: "x", options: .init(kind: .both, region: "a b")) }
  }

  @Test func `a failed writer leaves no file`() throws {
    let folder = try Folder()
    do {
      let writer = try PackWriter(path: folder.file("a"), options: .init(kind: .identification))
      try writer.append(1, label: "x")
    }
    #expect(folder.names == [])
    let writer = try PackWriter(path: folder.file("a"), options: .init(kind: .identification))
    try writer.append(1, label: "x")
    #expect(!folder.names.contains("a"))
    let summary = try writer.finish()
    #expect(folder.names == ["a"])
    #expect(summary.entries == 1 && summary.first == 1 && summary.last == 1)
    #expect(summary.sha256 == PackDigest.of(try contents(folder.file("a"))))
    #expect(throws: PackError.self) { try writer.finish() }
    #expect(throws: PackError.self) { try writer.append(2, label: "x") }
    #expect(throws: PackError.self) {
      try PackWriter(path: folder.file("no/such/folder"), options: .init(kind: .blocking))
    }
  }

  @Test func `a dictionary can be reused from another pack`() throws {
    let first = [PackEntry(number: 1, label: "Scam"), PackEntry(number: 2, label: "Silent call")]
    let base = try PackReader(bytes: packBytes(first, .init(kind: .identification)))
    let second = [PackEntry(number: 1, label: "Scam"), PackEntry(number: 3, label: "本当に新しい")]
    let reader = try PackReader(bytes: packBytes(second, .init(kind: .identification, dictionary: base)))
    try reader.verify()
    #expect(try entries(reader) == second)
    #expect(try reader.storedDictionary().bytes == base.storedDictionary().bytes)
    #expect(throws: PackError.self) {
      try packBytes(second, .init(kind: .identification, profile: .lean, dictionary: base))
    }
    let bare = try PackReader(bytes: packBytes([], .init(kind: .blocking)))
    #expect(throws: PackError.self) { try packBytes(second, .init(kind: .identification, dictionary: bare)) }
  }

  @Test func `a reader may set a memory limit`() throws {
    let folder = try Folder()
    let writer = try PackWriter(path: folder.file("a"), options: .init(kind: .identification))
    try writer.append(1, label: "x")
    try writer.finish()
    let needs = try PackReader.open(path: folder.file("a")).header.readerBytes
    #expect(try PackReader.open(path: folder.file("a"), memoryLimit: needs).header.entryCount == 1)
    #expect(throws: PackError.self) { try PackReader.open(path: folder.file("a"), memoryLimit: needs - 1) }
  }
}
