// SPDX-License-Identifier: Apache-2.0

import CallerPack
import CallerPackBuilder
import Foundation
import Testing

/// A walk in another process, whose address space the system limits.
@Suite struct MemoryTests {
  private struct Walk: Decodable {
    var entries: Int
    var growth_kb: Int
    var address_kb: Int
  }

  /// The benchmark's executable in the folder of the tests; `nil` when it was not built.
  private static let tool: String? = {
    // Linux: …/debug/…xctest is the test bundle itself; on macOS it is three folders deeper.
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
      folder = URL(fileURLWithPath: argument).deletingLastPathComponent()
    }
    let path = folder.appendingPathComponent("pack-benchmark").path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  private static func walk(_ tool: String, _ path: String, _ tiny: String, limit: Int?) throws -> Walk {
    let command = (limit.map { "ulimit -v \($0); " } ?? "") + "exec \"$0\" walk \"$1\" \"$2\""
    let (output, status) = try run("/bin/sh", ["-c", command, tool, path, tiny])
    #expect(status == 0)
    return try JSONDecoder().decode(Walk.self, from: Data(output.utf8))
  }

  @Test(.enabled(if: tool != nil, "pack-benchmark is not built beside the tests."))
  func `reading every entry stays within the memory that the header declares`() throws {
    let tool = try #require(Self.tool)
    let folder = try Folder()
    let tiny = folder.file("tiny"), bare = folder.file("bare"), named = folder.file("named")
    try Data(packBytes([.init(number: 5, label: "x")], .init(kind: .identification))).write(
      to: URL(fileURLWithPath: tiny))
    try Data(packBytes((1...60_000).map { .init(number: $0 * 977 % 7 + $0 * 1000) }, .init(kind: .blocking))).write(
      to: URL(fileURLWithPath: bare))
    var random = Seeded(8)
    let list = randomEntries(.identification, count: 12_000, &random)
    try Data(packBytes(list, .init(kind: .identification, profile: .lean))).write(to: URL(fileURLWithPath: named))
    let free = try Self.walk(tool, tiny, tiny, limit: nil)
    for (path, count) in [(bare, 60_000), (named, list.count)] {
      let declared = try PackReader.open(path: path).header.readerBytes
      #expect(declared <= 400_000)
      // The heap grows in steps of 132 KB, so two of them are allowed on top.
      let walk = try Self.walk(tool, path, tiny, limit: free.address_kb + declared / 1024 + 264)
      #expect(walk.entries == count)
      #expect(walk.growth_kb <= declared / 1024 + 64)
    }
    let bareGrowth = try Self.walk(tool, bare, tiny, limit: nil).growth_kb
    #expect(bareGrowth <= 128)
  }
}
